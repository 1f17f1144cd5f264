// The SQL functions of type counting_bloom, but for aggregates (counting_bloom_agg_pg.cpp),
// look-ups (counting_bloom_lookup_pg.cpp), and sizes and what bits and counters say
// (counting_bloom_info_pg.cpp).
#include "counting_bloom/counting_bloom_pg.hpp"

#include "counting_bloom/edit.hpp"

namespace bloomsketch::counting_bloom {

void require_sound(Malformed reason)
{
	if (reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
}

const varlena *at_rest(const varlena *value)
{
	const Bytes given = image_of(value), image = at_rest(given, allocate);
	return image.data() == given.data() ? value : value_of({const_cast<std::uint8_t *>(image.data()), image.size()});
}

State copy_of(const Filter &filter)
{
	State state;
	require_sound(copy(filter, state, allocate));
	return state;
}

varlena *stored(const State &state)
{
	return value_of(store(state.read(), allocate));
}

varlena *parameterless()
{
	varlena *value = new_image(parameterless_size);
	store_parameterless(image_of(value).data());
	return value;
}

namespace {

[[noreturn]] void raise_size_mismatch(const Filter &held, const Filter &given)
{
	bloomsketch::raise_size_mismatch(
		Filter::type_name, asked_for(held.parameters()), asked_for(given.parameters()),
		psprintf("They have %llu and %llu counters, and %d and %d hashes for a value.",
	             static_cast<unsigned long long>(held.counters()), static_cast<unsigned long long>(given.counters()),
	             held.parameters().hashes, given.parameters().hashes));
}

void require_same(const Filter &a, const Filter &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::size: raise_size_mismatch(a, b);
	case Mismatch::seed: raise_seed_mismatch(Filter::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Filter::type_name, a.kind(), b.kind());
	}
}

varlena *accept_image(const varlena *value, Malformed &reason)
{
	MutableBytes image;
	reason = accept(image_of(value), image, allocate);
	return reason == Malformed::no ? value_of(image) : nullptr;
}

// The filter that an edit makes.
Datum edited(const Edit &edit)
{
	varlena *value = new_image(edit.size());
	edit.write(image_of(value));
	PG_RETURN_POINTER(value);
}

Edit open_edit(const Filter &filter, Hash64 hash)
{
	Edit edit;
	require_sound(Edit::open(filter, hash, edit));
	return edit;
}

// Takes a copy of the value in argument 1 out of a filter. False where it is certainly
// not there.
bool remove(FunctionCallInfo fcinfo, const Filter &filter, Datum &removed)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	if (filter.is_parameterless())
		return false;
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), filter.seed());
	if (!filter.contains(hash))
		return false;
	Edit edit = open_edit(filter, hash);
	edit.remove();
	removed = edited(edit);
	return true;
}

}  // namespace

void unite(State &state, const Filter &filter)
{
	require_same(state.read(), filter);
	require_sound(state.merge(filter));
}

extern "C" {

PG_FUNCTION_INFO_V1(counting_bloom_in);
PG_FUNCTION_INFO_V1(counting_bloom_recv);
PG_FUNCTION_INFO_V1(counting_bloom_from_bytea);
PG_FUNCTION_INFO_V1(counting_bloom_to_bloom);
PG_FUNCTION_INFO_V1(counting_bloom_empty);
PG_FUNCTION_INFO_V1(counting_bloom_add);
PG_FUNCTION_INFO_V1(counting_bloom_remove);
PG_FUNCTION_INFO_V1(counting_bloom_try_remove);
PG_FUNCTION_INFO_V1(counting_bloom_union);

Datum counting_bloom_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Filter::type_name, accept_image);
}

Datum counting_bloom_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Filter::type_name, accept_image);
}

Datum counting_bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Filter::type_name, accept_image);
}

// The cast: the filter that bloom_agg makes of the values that are there.
Datum counting_bloom_to_bloom(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(value_of(bloom_of(FilterArgument(fcinfo, 0).filter, allocate)));
}

// counting_bloom_empty(capacity, false_positive_rate, seed)
Datum counting_bloom_empty(PG_FUNCTION_ARGS)
{
	const Geometry geometry = checked_geometry({PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)});
	PG_RETURN_POINTER(value_of(store_empty(geometry.parameters, geometry.blocks, allocate)));
}

// counting_bloom_add(filter, value): one copy more.
Datum counting_bloom_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const FilterArgument given(fcinfo, 0);
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(given.datum);
	if (given.filter.is_parameterless())
		raise_no_parameters(Filter::type_name, "counting_bloom");
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Filter::type_name, given.filter.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), given.filter.seed());
	Edit edit = open_edit(given.filter, hash);
	edit.add(source.kind);
	const Datum more = edited(edit);
	if (!given.filter.contains(hash))
		warn_if_overfull(open_or_raise<Filter>(reinterpret_cast<const varlena *>(DatumGetPointer(more))));
	return more;
}

// counting_bloom_remove(filter, value): one copy less, or an error.
Datum counting_bloom_remove(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const FilterArgument given(fcinfo, 0);
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(given.datum);
	Datum removed;
	if (!remove(fcinfo, given.filter, removed))
		raise_not_there(Filter::type_name, "counting_bloom");
	return removed;
}

// counting_bloom_try_remove(filter, value) -> (filter, removed)
Datum counting_bloom_try_remove(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const FilterArgument given(fcinfo, 0);
	Datum filter = given.datum;
	const bool is_removed = !PG_ARGISNULL(1) && remove(fcinfo, given.filter, filter);
	Datum values[] = {filter, BoolGetDatum(is_removed)};
	bool nulls[2] = {};
	return row_result(fcinfo, values, nulls);
}

Datum counting_bloom_union(PG_FUNCTION_ARGS)
{
	const FilterArgument a(fcinfo, 0), b(fcinfo, 1);
	if (a.filter.is_parameterless())
		PG_RETURN_DATUM(b.datum);
	if (b.filter.is_parameterless())
		PG_RETURN_DATUM(a.datum);
	State state = copy_of(a.filter);
	unite(state, b.filter);
	varlena *both = stored(state);
	warn_if_overfull(open_or_raise<Filter>(both));
	PG_RETURN_POINTER(both);
}

}  // extern "C"
}  // namespace bloomsketch::counting_bloom
