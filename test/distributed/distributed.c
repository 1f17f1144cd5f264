/*
 * Runs an aggregate as a distributed engine such as Citus does: workers take
 * the rows, a coordinator combines their states. distributed.sql declares it.
 *
 * What that asks of an aggregate, and what this module therefore does:
 *
 *   - every call has an FmgrInfo of its own: no fn_expr, no fn_extra from the
 *     row before; the context is that of the engine's own aggregate, so
 *     AggGetAggref() shows that one's arguments
 *   - several arguments come as a record, without a collation
 *   - an argument's type must be the declared one, exactly
 *   - a new state is copied into the aggregate's memory and the old one freed,
 *     here overwritten before, so that nothing can still point into it
 *   - only the state may be changed in place, no other argument
 *   - the state crosses the wire through the type's output and input or send
 *     and receive functions, just as the transition function left it
 *   - a worker without rows sends NULL, and there may be no worker at all
 *
 * Left out, because no aggregate here has them: initial conditions and final
 * functions with extra arguments.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

PG_MODULE_MAGIC;

/* An aggregate's state on its way, in the memory of the engine's aggregate. */
typedef struct Partial {
	FormData_pg_aggregate form;
	int16 length;
	bool by_value;
	bool started; /* the state is no longer the one before the first row */
	NullableDatum state;
} Partial;

static MemoryContext aggregate_memory(FunctionCallInfo fcinfo)
{
	MemoryContext memory = NULL;
	AggCheckCallContext(fcinfo, &memory);
	return memory;
}

static Partial *start(FunctionCallInfo fcinfo, Oid aggregate)
{
	Partial *partial = MemoryContextAllocZero(aggregate_memory(fcinfo), sizeof(Partial));
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	bool no_initial_value;
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "no aggregate has the OID %u", aggregate);
	memcpy(&partial->form, GETSTRUCT(tuple), sizeof(partial->form));
	partial->state.isnull = true;
	get_typlenbyval(partial->form.aggtranstype, &partial->length, &partial->by_value);
	SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &no_initial_value);
	if (!no_initial_value || partial->form.aggfinalextra)
		elog(ERROR, "initial conditions and extra arguments are not supported");
	ReleaseSysCache(tuple);
	if (!OidIsValid(partial->form.aggcombinefn) || get_typtype(partial->form.aggtranstype) == TYPTYPE_PSEUDO)
		elog(ERROR, "%s has no combine function, or no state that can travel", format_procedure(aggregate));
	return partial;
}

/* The partial in argument 0, made with the first row. */
static Partial *find(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return start(fcinfo, PG_GETARG_OID(1));
	return (Partial *) PG_GETARG_POINTER(0);
}

/* Calls a function as nobody has called it before. */
static NullableDatum call(FunctionCallInfo outer, Oid function, int count, const NullableDatum *arguments)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	FmgrInfo fresh;
	NullableDatum result;
	fmgr_info(function, &fresh);
	InitFunctionCallInfoData(*fcinfo, &fresh, count, outer->fncollation, outer->context, outer->resultinfo);
	memcpy(fcinfo->args, arguments, sizeof(NullableDatum) * count);
	result.value = FunctionCallInvoke(fcinfo);
	result.isnull = fcinfo->isnull;
	return result;
}

static void set_state(FunctionCallInfo outer, Partial *partial, NullableDatum state)
{
	NullableDatum old = partial->state;
	partial->started = true;
	if (!partial->by_value && !old.isnull && !state.isnull &&
	    DatumGetPointer(old.value) == DatumGetPointer(state.value))
		return;
	if (!state.isnull) {
		MemoryContext before = MemoryContextSwitchTo(aggregate_memory(outer));
		state.value = datumCopy(state.value, partial->by_value, partial->length);
		MemoryContextSwitchTo(before);
	}
	if (!partial->by_value && !old.isnull) {
		if (partial->length == -1)
			memset(DatumGetPointer(old.value), 0x7F, VARSIZE_ANY(DatumGetPointer(old.value)));
		pfree(DatumGetPointer(old.value));
	}
	partial->state = state;
}

/* arguments[0] is the state's place; types[i] is the type of arguments[i]. */
static void advance(FunctionCallInfo outer, Partial *partial, Oid function, int count, NullableDatum *arguments,
                    const Oid *types)
{
	const bool strict = func_strict(function);
	Datum before[FUNC_MAX_ARGS];
	NullableDatum result;
	int16 length;
	bool by_value;
	for (int i = 1; i < count; ++i) {
		if (arguments[i].isnull && strict)
			return;
		get_typlenbyval(types[i], &length, &by_value);
		if (!arguments[i].isnull)
			before[i] = datumCopy(arguments[i].value, by_value, length);
	}
	if (strict && !partial->started) {
		set_state(outer, partial, arguments[1]);
		return;
	}
	arguments[0] = partial->state;
	if (strict && arguments[0].isnull)
		return;
	result = call(outer, function, count, arguments);
	for (int i = 1; i < count; ++i) {
		get_typlenbyval(types[i], &length, &by_value);
		if (!arguments[i].isnull && !datumIsEqual(before[i], arguments[i].value, by_value, length))
			elog(ERROR, "%s has changed its argument %d", format_procedure(function), i);
	}
	set_state(outer, partial, result);
}

/* Takes the arguments out of a record; the number of them, state included. */
static int open_record(Datum record, NullableDatum *arguments, Oid *types)
{
	HeapTupleHeader row = DatumGetHeapTupleHeader(record);
	TupleDesc columns = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	Datum values[FUNC_MAX_ARGS];
	bool nulls[FUNC_MAX_ARGS];
	const int count = columns->natts + 1;
	if (count > FUNC_MAX_ARGS)
		elog(ERROR, "too many arguments");
	heap_deform_tuple(&tuple, columns, values, nulls);
	for (int i = 1; i < count; ++i) {
		arguments[i] = (NullableDatum) {.value = values[i - 1], .isnull = nulls[i - 1]};
		types[i] = TupleDescAttr(columns, i - 1)->atttypid;
	}
	ReleaseTupleDesc(columns);
	return count;
}

static void check_types(Oid aggregate, int count, const Oid *types)
{
	Oid *declared;
	int declared_count;
	get_func_signature(aggregate, &declared, &declared_count);
	if (declared_count != count - 1 || memcmp(declared, types + 1, sizeof(Oid) * declared_count) != 0)
		ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
		        errmsg("arguments are not of the types that %s declares", format_procedure(aggregate)));
}

static Datum step(FunctionCallInfo fcinfo, bool check)
{
	Partial *partial = find(fcinfo);
	NullableDatum arguments[FUNC_MAX_ARGS];
	Oid types[FUNC_MAX_ARGS];
	int count = 2;
	types[1] = get_fn_expr_argtype(fcinfo->flinfo, 2);
	if (types[1] == RECORDOID && PG_ARGISNULL(2))
		elog(ERROR, "the record of arguments is NULL");
	if (types[1] == RECORDOID)
		count = open_record(PG_GETARG_DATUM(2), arguments, types);
	else
		arguments[1] = fcinfo->args[2];
	if (check)
		check_types(partial->form.aggfnoid, count, types);
	advance(fcinfo, partial, partial->form.aggtransfn, count, arguments, types);
	PG_RETURN_POINTER(partial);
}

PG_FUNCTION_INFO_V1(worker_step);
Datum worker_step(PG_FUNCTION_ARGS)
{
	return step(fcinfo, true);
}

/* What a careless engine does: it passes on arguments of whatever type. */
PG_FUNCTION_INFO_V1(unchecked_worker_step);
Datum unchecked_worker_step(PG_FUNCTION_ARGS)
{
	return step(fcinfo, false);
}

/* The state as text or binary message; NULL from a worker that has none. */
static NullableDatum leaving(FunctionCallInfo fcinfo, void (*find_function)(Oid, Oid *, bool *))
{
	Partial *partial = PG_ARGISNULL(0) ? NULL : (Partial *) PG_GETARG_POINTER(0);
	Oid function;
	bool is_varlena;
	fcinfo->isnull = partial == NULL || partial->state.isnull;
	if (fcinfo->isnull)
		return (NullableDatum) {.isnull = true};
	find_function(partial->form.aggtranstype, &function, &is_varlena);
	return call(fcinfo, function, 1, &partial->state);
}

PG_FUNCTION_INFO_V1(worker_final_text);
Datum worker_final_text(PG_FUNCTION_ARGS)
{
	NullableDatum text = leaving(fcinfo, getTypeOutputInfo);
	return text.isnull ? (Datum) 0 : PointerGetDatum(cstring_to_text(DatumGetCString(text.value)));
}

PG_FUNCTION_INFO_V1(worker_final_binary);
Datum worker_final_binary(PG_FUNCTION_ARGS)
{
	return leaving(fcinfo, getTypeBinaryOutputInfo).value;
}

/* Combines the state that came as `message`, in the form that the function takes. */
static Datum combine(FunctionCallInfo fcinfo, Datum message, void (*find_function)(Oid, Oid *, Oid *))
{
	Partial *partial = find(fcinfo);
	const Oid types[] = {partial->form.aggtranstype, partial->form.aggtranstype};
	NullableDatum arguments[2] = {{.isnull = true}, {.isnull = true}};
	NullableDatum input[] = {{.value = message}, {.isnull = true}, {.value = Int32GetDatum(-1)}};
	Oid function;
	Oid parameter;
	find_function(partial->form.aggtranstype, &function, &parameter);
	input[1] = (NullableDatum) {.value = ObjectIdGetDatum(parameter)};
	if (!PG_ARGISNULL(2))
		arguments[1] = call(fcinfo, function, 3, input);
	advance(fcinfo, partial, partial->form.aggcombinefn, 2, arguments, types);
	PG_RETURN_POINTER(partial);
}

PG_FUNCTION_INFO_V1(combine_step_text);
Datum combine_step_text(PG_FUNCTION_ARGS)
{
	char *message = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	return combine(fcinfo, CStringGetDatum(message), getTypeInputInfo);
}

PG_FUNCTION_INFO_V1(combine_step_binary);
Datum combine_step_binary(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_ARGISNULL(2) ? NULL : PG_GETARG_BYTEA_PP(2);
	StringInfoData message;
	initStringInfo(&message);
	if (bytes != NULL)
		appendBinaryStringInfo(&message, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	return combine(fcinfo, PointerGetDatum(&message), getTypeBinaryInputInfo);
}

/* No row has brought the aggregate's OID: then it is a constant in the call. */
static Oid aggregate_in_call(FunctionCallInfo fcinfo)
{
	Expr *first = ((TargetEntry *) linitial(AggGetAggref(fcinfo)->args))->expr;
	if (!IsA(first, Const))
		elog(ERROR, "the aggregate must be a constant");
	return DatumGetObjectId(((Const *) first)->constvalue);
}

PG_FUNCTION_INFO_V1(combine_final);
Datum combine_final(PG_FUNCTION_ARGS)
{
	Partial *partial = PG_ARGISNULL(0) ? start(fcinfo, aggregate_in_call(fcinfo)) : (Partial *) PG_GETARG_POINTER(0);
	const Oid final = partial->form.aggfinalfn;
	const Oid type = OidIsValid(final) ? get_func_rettype(final) : partial->form.aggtranstype;
	NullableDatum result = partial->state;
	if (type != get_fn_expr_argtype(fcinfo->flinfo, 3))
		elog(ERROR, "the result of %s is a %s", format_procedure(partial->form.aggfnoid), format_type_be(type));
	if (OidIsValid(final) && !(result.isnull && func_strict(final)))
		result = call(fcinfo, final, 1, &partial->state);
	fcinfo->isnull = result.isnull;
	return result.value;
}
