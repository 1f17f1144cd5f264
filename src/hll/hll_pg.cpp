// The SQL functions of type hll but those behind its aggregates: read the
// arguments, call the core, return.
#include "common/value_pg.hpp"
#include "hll/bounds.hpp"
#include "hll/hll_pg.hpp"
#include "hll/overlap.hpp"
#include "hll/store.hpp"

namespace bloomsketch::hll {
namespace {

[[noreturn]] void raise_precision_mismatch(int held, int given)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("hll of precision %d does not go with precision %d", held, given),
	        errhint("Bring both to precision %d with hll_reduce.", std::min(held, given)));
	pg_unreachable();
}

}  // namespace

void require_well_formed(Malformed reason)
{
	if (reason != Malformed::no)
		raise_malformed(Sketch::type_name, reason);
}

void require_precision(int precision)
{
	if (!is_valid_precision(precision))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("precision %d is out of range", precision),
		        errhint("An hll's precision is from %d to %d. Several columns are one value, a row: (a, b).", min_precision,
		                max_precision));
}

void require_same(const Sketch &a, const Sketch &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::precision: raise_precision_mismatch(a.precision(), b.precision());
	case Mismatch::seed: raise_seed_mismatch(Sketch::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Sketch::type_name, a.kind(), b.kind());
	}
}

State copy_of(const Sketch &sketch, int precision)
{
	State state;
	require_well_formed(copy(sketch, precision, state, allocate));
	return state;
}

void unite(State &state, const Sketch &sketch)
{
	require_same(state.read(), sketch);
	require_well_formed(merge(state, sketch, allocate));
}

varlena *stored(const Sketch &sketch)
{
	const std::size_t count = sketch.entry_count();
	const std::span<Entry> scratch(static_cast<Entry *>(palloc(sizeof(Entry) * count)), count);
	const StoredForm form(sketch, scratch);
	varlena *value = new_image(form.size());
	form.write(image_of(value).data());
	return value;
}

varlena *parameterless()
{
	varlena *value = new_image(parameterless_size);
	store_parameterless(image_of(value).data());
	return value;
}

namespace {

// An argument as the result: itself, or stored if it is a working form.
Datum unchanged(FunctionCallInfo fcinfo, int argument, const Sketch &sketch)
{
	if (sketch.is_working())
		PG_RETURN_POINTER(stored(sketch));
	PG_RETURN_DATUM(PG_GETARG_DATUM(argument));
}

// Only an aggregate of the user's own that has no final function hands out a
// working form.
Sketch at_rest(const Sketch &sketch)
{
	return sketch.is_working() ? open_or_raise<Sketch>(stored(sketch)) : sketch;
}

varlena *accept_image(const varlena *value, Malformed &reason)
{
	State state;
	reason = accept(image_of(value), state, allocate);
	if (reason != Malformed::no)
		return nullptr;
	return state.image().empty() ? duplicate(value) : stored(state.read());
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(hll_in);
PG_FUNCTION_INFO_V1(hll_recv);
PG_FUNCTION_INFO_V1(hll_from_bytea);
PG_FUNCTION_INFO_V1(hll_empty);
PG_FUNCTION_INFO_V1(hll_add);
PG_FUNCTION_INFO_V1(hll_union);
PG_FUNCTION_INFO_V1(hll_count);
PG_FUNCTION_INFO_V1(hll_reduce);
PG_FUNCTION_INFO_V1(hll_bounds);
PG_FUNCTION_INFO_V1(hll_overlap);
PG_FUNCTION_INFO_V1(hll_info);

Datum hll_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Sketch::type_name, accept_image);
}

Datum hll_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Sketch::type_name, accept_image);
}

Datum hll_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Sketch::type_name, accept_image);
}

// The estimate, also as a final function: 0 where no state was ever made.
Datum hll_count(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(rounded(open_or_raise<Sketch>(image_argument(fcinfo, 0)).estimate()));
}

// hll_empty([precision, seed])
Datum hll_empty(PG_FUNCTION_ARGS)
{
	if (PG_NARGS() == 0)
		PG_RETURN_POINTER(parameterless());
	const Parameters parameters{PG_GETARG_INT32(0), PG_GETARG_INT64(1)};
	require_precision(parameters.precision);
	PG_RETURN_POINTER(stored(create(State::layout_for(parameters, 0), parameters, {}, allocate).read()));
}

// hll_add(sketch, value): the sketch itself where the value changes nothing.
Datum hll_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const Sketch given = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	if (PG_ARGISNULL(1))
		return unchanged(fcinfo, 0, given);
	const Sketch sketch = at_rest(given);
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Sketch::type_name, sketch.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	if (sketch.contains(hash))
		return unchanged(fcinfo, 0, given);
	State state = copy_of(sketch, sketch.is_parameterless() ? default_precision : sketch.precision());
	state.set_kind(source.kind);
	add(state, hash, allocate);
	PG_RETURN_POINTER(stored(state.read()));
}

Datum hll_union(PG_FUNCTION_ARGS)
{
	const Sketch a = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const Sketch b = open_or_raise<Sketch>(image_argument(fcinfo, 1));
	if (a.is_parameterless())
		return unchanged(fcinfo, 1, b);
	if (b.is_parameterless())
		return unchanged(fcinfo, 0, a);
	State state = copy_of(a, a.precision());
	unite(state, b);
	PG_RETURN_POINTER(stored(state.read()));
}

// hll_reduce(sketch, precision): what building it at that precision gives.
Datum hll_reduce(PG_FUNCTION_ARGS)
{
	const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const int precision = PG_GETARG_INT32(1);
	require_precision(precision);
	if (sketch.is_parameterless() || sketch.precision() == precision)
		return unchanged(fcinfo, 0, sketch);
	if (sketch.precision() < precision)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("hll of precision %d can't be brought to precision %d", sketch.precision(), precision),
		        errhint("Precision can only be reduced: build the sketch at the higher one."));
	PG_RETURN_POINTER(stored(copy_of(sketch, precision).read()));
}

// hll_bounds(sketch, confidence)
Datum hll_bounds(PG_FUNCTION_ARGS)
{
	const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const double confidence = PG_GETARG_FLOAT8(1);
	if (!is_valid_confidence(confidence))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("confidence %s is out of range", shortest(confidence)),
		        errhint("A confidence is above 0 and below 1, for example 0.95."));
	const Bounds found = bounds(sketch, confidence);
	Datum values[] = {Int64GetDatum(found.lower), Int64GetDatum(found.estimate), Int64GetDatum(found.upper)};
	bool nulls[std::size(values)] = {};
	return row_result(fcinfo, values, nulls);
}

// hll_overlap(a, b): of two sketches only; a third would need another method.
Datum hll_overlap(PG_FUNCTION_ARGS)
{
	const Sketch a = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const Sketch b = open_or_raise<Sketch>(image_argument(fcinfo, 1));
	require_same(a, b);
	const std::size_t count = overlap_scratch(a, b);
	const Overlap found = overlap(a, b, {static_cast<Entry *>(palloc(sizeof(Entry) * count)), count});
	Datum values[] = {
		Int64GetDatum(found.only_a), Int64GetDatum(found.only_b),   Int64GetDatum(found.both),
		Int64GetDatum(found.total),  Float8GetDatum(found.jaccard),
	};
	bool nulls[std::size(values)] = {};
	return row_result(fcinfo, values, nulls);
}

Datum hll_info(PG_FUNCTION_ARGS)
{
	const Sketch sketch = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 0)));
	const bool without_parameters = sketch.is_parameterless();
	const char *representation = sketch.is_empty() ? "empty" : sketch.is_sparse() ? "sparse" : "dense";
	Datum values[] = {
		Int32GetDatum(sketch.precision()),
		Float8GetDatum(without_parameters ? 0 : standard_error(sketch.precision())),
		CStringGetTextDatum(representation),
		Int32GetDatum(static_cast<int32>(sketch.registers_used())),
		Int32GetDatum(static_cast<int32>(sketch.size() + VARHDRSZ)),
		CStringGetTextDatum(kind_name(sketch.kind())),
		Int64GetDatum(sketch.seed()),
	};
	bool nulls[] = {without_parameters, without_parameters, false, false, false, sketch.kind().is_none(), without_parameters};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::hll
