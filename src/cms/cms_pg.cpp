// The SQL functions of type cms, but for those behind aggregates (cms_agg_pg.cpp) and
// moving window frames (cms_window_pg.cpp).
#include "cms/cms_pg.hpp"

#include "cms/inner_product.hpp"
#include "common/kept_pg.hpp"
#include "common/value_pg.hpp"

namespace bloomsketch::cms {
namespace {

[[noreturn]] void raise_parameter_mismatch(const Sketch &a, const Sketch &b)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("cms with epsilon %s and delta %s does not go with epsilon %s and delta %s",
	               shortest(a.parameters().epsilon), shortest(a.parameters().delta), shortest(b.parameters().epsilon),
	               shortest(b.parameters().delta)),
	        errdetail("They have %u x %u and %u x %u counters.", a.width(), a.depth(), b.width(), b.depth()),
	        errhint("Build all sketches that are to be united with one epsilon and one delta."));
	pg_unreachable();
}

void require_share(const char *name, double share, double example)
{
	if (!is_valid_share(share))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %s is out of range", name, shortest(share)),
		        errhint("A cms's %s is above 0 and below 1, for example %s.", name, shortest(example)));
}

}  // namespace

void require_same(const Sketch &a, const Sketch &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::parameters: raise_parameter_mismatch(a, b);
	case Mismatch::seed: raise_seed_mismatch(Sketch::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Sketch::type_name, a.kind(), b.kind());
	}
}

void require_done(Change change)
{
	switch (change) {
	case Change::done: return;
	case Change::too_large: raise_total_out_of_range(Sketch::type_name);
	case Change::damaged: raise_malformed(Sketch::type_name, Malformed::bad_count);
	case Change::no_room: elog(ERROR, "cms was not grown");
	}
}

varlena *stored(const Sketch &sketch)
{
	return value_of(store(sketch, allocate));
}

varlena *parameterless()
{
	varlena *value = new_image(parameterless_size);
	store_parameterless(image_of(value).data());
	return value;
}

void require_parameters(const Parameters &parameters)
{
	require_share("epsilon", parameters.epsilon, default_epsilon);
	require_share("delta", parameters.delta, default_delta);
	if (!geometry_for(parameters).fits())
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("cms with epsilon %s and delta %s takes more than 256 MB of counters", shortest(parameters.epsilon),
		               shortest(parameters.delta)),
		        errhint("It has e / epsilon times ln(1 / delta) counters of 8 bytes: choose a larger epsilon or delta."));
}

State copy_of(const Sketch &sketch)
{
	State state;
	require_done(copy(sketch, state, allocate));
	return state;
}

Datum unchanged(FunctionCallInfo fcinfo, int argument, const Sketch &sketch)
{
	if (sketch.is_working())
		PG_RETURN_POINTER(stored(sketch));
	PG_RETURN_DATUM(PG_GETARG_DATUM(argument));
}

namespace {

// Only an aggregate of the user's own that has no final function hands out a
// working form.
Sketch at_rest(const Sketch &sketch)
{
	return sketch.is_working() ? open_or_raise<Sketch>(stored(sketch)) : sketch;
}

varlena *accept_image(const varlena *value, Malformed &reason)
{
	MutableBytes image;
	reason = accept(image_of(value), image, allocate);
	return reason == Malformed::no ? value_of(image) : nullptr;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cms_in);
PG_FUNCTION_INFO_V1(cms_recv);
PG_FUNCTION_INFO_V1(cms_from_bytea);
PG_FUNCTION_INFO_V1(cms_empty);
PG_FUNCTION_INFO_V1(cms_add);
PG_FUNCTION_INFO_V1(cms_union);
PG_FUNCTION_INFO_V1(cms_count);
PG_FUNCTION_INFO_V1(cms_total);
PG_FUNCTION_INFO_V1(cms_inner_product);
PG_FUNCTION_INFO_V1(cms_info);

Datum cms_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Sketch::type_name, accept_image);
}

Datum cms_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Sketch::type_name, accept_image);
}

Datum cms_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Sketch::type_name, accept_image);
}

// cms_empty([epsilon, delta, seed])
Datum cms_empty(PG_FUNCTION_ARGS)
{
	if (PG_NARGS() == 0)
		PG_RETURN_POINTER(parameterless());
	const Parameters parameters{PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)};
	require_parameters(parameters);
	PG_RETURN_POINTER(stored(create(parameters, allocate).read()));
}

// cms_add(sketch, value [, weight]): the sketch itself where that changes nothing.
Datum cms_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		return unchanged(fcinfo, 0, sketch);
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Sketch::type_name, sketch.kind(), source.kind);
	const std::uint64_t weight = PG_NARGS() > 2 ? checked_weight(Sketch::type_name, PG_GETARG_INT64(2)) : 1;
	if (weight == 0 && !sketch.is_parameterless())
		return unchanged(fcinfo, 0, sketch);
	State state = sketch.is_parameterless() ? create(Parameters{}, allocate) : copy_of(sketch);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	require_done(add(state, source.kind, hash, weight, allocate));
	PG_RETURN_POINTER(stored(state.read()));
}

Datum cms_union(PG_FUNCTION_ARGS)
{
	const Sketch a = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const Sketch b = open_or_raise<Sketch>(image_argument(fcinfo, 1));
	if (a.is_parameterless())
		return unchanged(fcinfo, 1, b);
	if (b.is_parameterless())
		return unchanged(fcinfo, 0, a);
	require_same(a, b);
	State state = copy_of(a);
	require_done(merge(state, b, allocate));
	PG_RETURN_POINTER(stored(state.read()));
}

// cms_count(sketch, value): never under the truth.
Datum cms_count(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Sketch sketch = open_or_raise<Sketch>(kept_argument(fcinfo, 0));
	require_kind(Sketch::type_name, sketch.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	PG_RETURN_INT64(static_cast<int64>(sketch.count(hash)));
}

Datum cms_total(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(static_cast<int64>(open_or_raise<Sketch>(kept_argument(fcinfo, 0)).total()));
}

Datum cms_inner_product(PG_FUNCTION_ARGS)
{
	const Sketch a = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 0)));
	const Sketch b = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 1)));
	require_same(a, b);
	std::optional<std::int64_t> product;
	if (const Malformed reason = inner_product(a, b, product); reason != Malformed::no)
		raise_malformed(Sketch::type_name, reason);
	if (!product)
		ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("inner product of two cms is out of range"),
		        errdetail("It is more than %lld.", static_cast<long long>(PG_INT64_MAX)));
	PG_RETURN_INT64(*product);
}

Datum cms_info(PG_FUNCTION_ARGS)
{
	const Sketch sketch = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 0)));
	const bool bare = sketch.is_parameterless();
	Datum values[] = {
		Int32GetDatum(static_cast<int32>(sketch.width())),
		Int32GetDatum(static_cast<int32>(sketch.depth())),
		Float8GetDatum(sketch.parameters().epsilon),
		Float8GetDatum(sketch.parameters().delta),
		Int64GetDatum(static_cast<int64>(sketch.total())),
		Int64GetDatum(static_cast<int64>(sketch.error_bound())),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + sketch.size())),
		CStringGetTextDatum(kind_name(sketch.kind())),
		Int64GetDatum(sketch.seed()),
	};
	bool nulls[] = {bare, bare, bare, bare, false, false, false, sketch.kind().is_none(), bare};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::cms
