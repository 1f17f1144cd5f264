// Which SQL types have an image. value_image_pg.cpp makes the
// images.
#include "common/value_pg.hpp"

#include "common/value_container_pg.hpp"


namespace bloomsketch {
namespace {

ValueKind scalar_kind(Oid type)
{
	switch (type) {
	case BOOLOID: return ValueType::boolean;
	case INT2OID:
	case INT4OID:
	case INT8OID: return ValueType::integer;
	case OIDOID:
	case XIDOID:
	case CIDOID: return ValueType::oid;
	case XID8OID: return ValueType::xid8;
	case FLOAT4OID:
	case FLOAT8OID: return ValueType::floating;
	case NUMERICOID: return ValueType::numeric;
	case MONEYOID: return ValueType::money;
	case TEXTOID:
	case VARCHAROID:
	case BPCHAROID:
	case NAMEOID:
	case UNKNOWNOID: return ValueType::text;
	case CHAROID: return ValueType::single_char;
	case BYTEAOID: return ValueType::bytea;
	case UUIDOID: return ValueType::uuid;
	case DATEOID: return ValueType::date;
	case TIMESTAMPOID: return ValueType::timestamp;
	case TIMESTAMPTZOID: return ValueType::timestamptz;
	case TIMEOID: return ValueType::time;
	case TIMETZOID: return ValueType::timetz;
	case INTERVALOID: return ValueType::interval;
	case INETOID:
	case CIDROID: return ValueType::inet;
	case MACADDROID: return ValueType::macaddr;
	case MACADDR8OID: return ValueType::macaddr8;
	case BITOID:
	case VARBITOID: return ValueType::bit;
	case PG_LSNOID: return ValueType::pg_lsn;
	case JSONBOID: return ValueType::jsonb;
	case RECORDOID: return ValueType::record;
	default: return {};
	}
}

// What to do instead, for the types that people try most.
const char *way_out(Oid type)
{
	if (type == JSONOID)
		return "Cast the value to jsonb.";
	Oid output;
	bool is_varlena;
	getTypeOutputInfo(type, &output, &is_varlena);
	const char *name = get_func_name(output);
	// Types of extensions have no OIDs to tell them by.
	constexpr struct {
		const char *output;
		const char *hint;
	} ways_out[] = {
		{"hll_out", "It is a sketch: unite sketches with hll_union."},
		{"bloom_out", "It is a filter: unite filters with bloom_union."},
		{"counting_bloom_out", "It is a filter: unite filters with counting_bloom_union."},
		{"cuckoo_out", "It is a filter: unite filters with cuckoo_union."},
		{"cms_out", "It is a sketch: unite sketches with cms_union."},
		{"topk_out", "It is a sketch: unite sketches with topk_union."},
		{"citextout", "Bring equal values to one form, for example with lower(x::text)."},
	};
	for (const auto &way : ways_out)
		if (name != nullptr && std::strcmp(name, way.output) == 0)
			return way.hint;
	return "Cast the value to a type that has one and in which equal values stay equal, for example to text.";
}

[[noreturn]] void raise_no_image(Oid type)
{
	ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	        errmsg("values of type %s can't be put into a sketch", format_type_be(type)),
	        errdetail("The type has no byte image that stays equal for equal values everywhere."),
	        errhint("%s", way_out(type)));
	pg_unreachable();
}

void require_deterministic(Oid collation)
{
	if (!OidIsValid(collation) || collation == DEFAULT_COLLATION_OID || collation == C_COLLATION_OID ||
	    get_collation_isdeterministic(collation))
		return;
	ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	        errmsg("text with the nondeterministic collation \"%s\" can't be put into a sketch",
	               get_collation_name(collation)),
	        errdetail("Texts that are equal under it have different bytes."),
	        errhint("Bring equal texts to one form under a deterministic collation, for example lower(x) COLLATE \"C\"."));
}

// A range over an operator class of its own may hold equal what its subtype does not.
void require_usual_order(Oid type, const TypeCacheEntry *range)
{
	const TypeCacheEntry *subtype = lookup_type_cache(range->rngelemtype->type_id, TYPECACHE_CMP_PROC);
	if (range->rng_cmp_proc_finfo.fn_oid != subtype->cmp_proc)
		raise_no_image(type);
}

ValueSource source_for_container(Oid type, Oid element, Oid collation, ValueShape shape)
{
	return {type, source_for_type(element, collation).kind.inside(shape), Reading::image};
}

// Types that a catalog look-up has to tell: arrays, enums, ranges, composites.
ValueSource source_for_catalog_type(Oid type, Oid collation)
{
	if (const Oid element = get_element_type(type); OidIsValid(element))
		return source_for_container(type, element, collation, ValueShape::array);
	switch (get_typtype(type)) {
	case TYPTYPE_ENUM: return {type, ValueType::enumeration, Reading::image};
	case TYPTYPE_COMPOSITE: return {type, ValueType::record, Reading::image};
	case TYPTYPE_RANGE: {
		const TypeCacheEntry *range = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
		require_usual_order(type, range);
		return source_for_container(type, range->rngelemtype->type_id, range->rng_collation, ValueShape::range);
	}
	case TYPTYPE_MULTIRANGE: {
		const TypeCacheEntry *range = lookup_type_cache(type, TYPECACHE_MULTIRANGE_INFO)->rngtype;
		require_usual_order(type, range);
		return source_for_container(type, range->rngelemtype->type_id, range->rng_collation, ValueShape::multirange);
	}
	default: raise_no_image(type);
	}
}

// The expression of an argument, as far as the caller tells.
Node *argument_expression(FunctionCallInfo fcinfo, int argument)
{
	List *arguments = NIL;
	Node *call = fcinfo->flinfo->fn_expr;
	if (const Aggref *aggregate = AggGetAggref(fcinfo)) {
		--argument;  // the state is no argument of the aggregate
		arguments = aggregate->args;
	} else if (call != nullptr && IsA(call, FuncExpr)) {
		arguments = reinterpret_cast<FuncExpr *>(call)->args;
	} else if (call != nullptr && IsA(call, OpExpr)) {
		arguments = reinterpret_cast<OpExpr *>(call)->args;
	}
	if (argument < 0 || argument >= list_length(arguments))
		return nullptr;
	auto *found = static_cast<Node *>(list_nth(arguments, argument));
	return IsA(found, TargetEntry) ? reinterpret_cast<Node *>(reinterpret_cast<TargetEntry *>(found)->expr) : found;
}

// A type such as citext is handed over as text, although its equal values have
// different bytes. Where the expression still shows it, it is refused; whoever
// writes the cast means the text.
void refuse_disguised(FunctionCallInfo fcinfo, int argument)
{
	Node *expression = argument_expression(fcinfo, argument);
	while (expression != nullptr && IsA(expression, RelabelType)) {
		const auto *cast = reinterpret_cast<const RelabelType *>(expression);
		if (cast->relabelformat != COERCE_IMPLICIT_CAST)
			return;
		expression = reinterpret_cast<Node *>(cast->arg);
		source_for_type(exprType(expression), InvalidOid);
	}
}

Oid argument_type(FunctionCallInfo fcinfo, int argument)
{
	Oid *declared;
	int count;
	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &count);
	const Oid type = IsPolymorphicType(declared[argument]) ? get_fn_expr_argtype(fcinfo->flinfo, argument)
	                                                       : declared[argument];
	if (!OidIsValid(type))
		ereport(ERROR, errcode(ERRCODE_INDETERMINATE_DATATYPE), errmsg("could not determine the type of the value"),
		        errhint("Cast the value to text, or to another type with an overload of its own."));
	return type;
}

// Text is its own image where the server stores UTF-8, or bytes of no known
// encoding.
Reading reading_of(Oid type)
{
	switch (type) {
	case INT8OID:
	case XID8OID:
	case MONEYOID:
	case TIMEOID:
	case TIMESTAMPOID:
	case TIMESTAMPTZOID:
	case PG_LSNOID: return Reading::int64;
	case BOOLOID:
	case INT2OID:
	case INT4OID:
	case OIDOID:
	case XIDOID:
	case CIDOID:
	case FLOAT4OID:
	case FLOAT8OID:
	case DATEOID: return Reading::word;
	case TEXTOID:
	case VARCHAROID: return is_utf8_server() ? Reading::verbatim : Reading::image;
	case BYTEAOID: return Reading::verbatim;
	default: return Reading::image;
	}
}

}  // namespace

ValueSource source_for_type(Oid type, Oid collation)
{
	require_deterministic(collation);
	ValueKind kind = scalar_kind(type);
	if (kind.is_none()) {
		type = getBaseType(type);
		kind = scalar_kind(type);
	}
	return kind.is_none() ? source_for_catalog_type(type, collation) : ValueSource{type, kind, reading_of(type)};
}

void find_source(FunctionCallInfo fcinfo, int argument, std::size_t kept_size)
{
	FmgrInfo *function = fcinfo->flinfo;
	auto *cached = static_cast<CachedSource *>(function->fn_extra);
	refuse_disguised(fcinfo, argument);
	const ValueSource source = source_for_type(argument_type(fcinfo, argument), PG_GET_COLLATION());
	if (cached == nullptr)
		cached = static_cast<CachedSource *>(MemoryContextAllocZero(function->fn_mcxt, kept_size));
	*cached = {source, PG_GET_COLLATION()};
	function->fn_extra = cached;
}

extern "C" {

PG_FUNCTION_INFO_V1(sketch_hash);

// sketch_hash(value, seed bigint) -> bigint: the hash that sketches with this
// seed use.
Datum sketch_hash(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument(fcinfo, 0);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(0), PG_GETARG_INT64(1));
	PG_RETURN_INT64(static_cast<int64>(hash));
}

}  // extern "C"
}  // namespace bloomsketch
