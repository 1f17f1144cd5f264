// The SQL functions of type cuckoo, but for aggregates (cuckoo_agg_pg.cpp), look-ups
// (cuckoo_contains_pg.cpp), and sizes and cuckoo_info (cuckoo_sizing_pg.cpp).
#include "cuckoo/cuckoo_pg.hpp"

namespace bloomsketch::cuckoo {
namespace {

[[noreturn]] void raise_full(const Filter &filter, std::uint64_t wanted)
{
	const std::uint64_t capacity = filter.parameters().capacity;
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
	        errmsg("cuckoo filter for %lld values is full", static_cast<long long>(capacity)),
	        errdetail("Of %lld values %lld have room in its %lld slots.", static_cast<long long>(wanted),
	                  static_cast<long long>(filter.items()), static_cast<long long>(filter.geometry().slots())),
	        errhint("Rebuild it with a capacity of at least %lld. Every adding stores a copy: add DISTINCT values if "
	                "copies are not needed.",
	                static_cast<long long>(capacity_to_rebuild(capacity, filter.load(), wanted))));
	pg_unreachable();
}

[[noreturn]] void raise_copies()
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
	        errmsg("cuckoo filter has no room for more than %d copies of a value", most_copies),
	        errhint("Add DISTINCT values, and count copies elsewhere, for example in a column or with cms_agg."));
	pg_unreachable();
}

void require_done(Change change, const Filter &filter, std::uint64_t wanted)
{
	switch (change) {
	case Change::done: return;
	case Change::copies: raise_copies();
	case Change::full: raise_full(filter, wanted);
	}
}

[[noreturn]] void raise_size_mismatch(const Filter &held, const Filter &given)
{
	bloomsketch::raise_size_mismatch(
		"cuckoo filter", asked_for(held.parameters()), asked_for(given.parameters()),
		psprintf("They have %llu and %llu buckets, and fingerprints of %d and %d bits.",
	             static_cast<unsigned long long>(held.geometry().buckets()),
	             static_cast<unsigned long long>(given.geometry().buckets()), held.geometry().bits, given.geometry().bits));
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

// Buckets between two looks for a cancel request: each may take a search.
constexpr std::uint64_t chunk_buckets = 1024;

void merge(State &state, const Filter &smaller, std::uint64_t wanted)
{
	if (state.kind().is_none())
		state.set_kind(smaller.kind());
	const std::uint64_t buckets = smaller.geometry().buckets();
	for (std::uint64_t first = 0; first < buckets; first += chunk_buckets) {
		CHECK_FOR_INTERRUPTS();
		const Change change = state.merge(smaller, first, std::min(first + chunk_buckets, buckets));
		require_done(change, state.read(), wanted);
	}
}

varlena *accept(const varlena *value, Malformed &reason)
{
	Filter filter;
	reason = Filter::open(image_of(value), filter);
	if (reason == Malformed::no)
		reason = filter.check();
	return reason == Malformed::no ? duplicate(value) : nullptr;
}

// A filter and a value in the arguments, both not NULL.
struct Given {
	const varlena *value;
	Filter filter;
	const ValueSource &source;

	explicit Given(FunctionCallInfo fcinfo)
		: value(image_argument(fcinfo, 0)), filter(open_or_raise<Filter>(value)), source(source_for_argument(fcinfo, 1))
	{
		require_kind(Filter::type_name, filter.kind(), source.kind);
	}

	Hash64 hash(FunctionCallInfo fcinfo) const { return hash_value(source, PG_GETARG_DATUM(1), filter.seed()); }
};

// The filter with a copy less of the value in the arguments; nullptr where none is in it.
varlena *with_one_less(FunctionCallInfo fcinfo)
{
	const Given given(fcinfo);
	if (given.filter.is_parameterless())
		return nullptr;
	const Hash64 hash = given.hash(fcinfo);
	if (!given.filter.contains(hash))
		return nullptr;
	State state = copy_of(given.value);
	if (!state.remove(hash))
		elog(ERROR, "value in a cuckoo filter was not found");
	return value_of(state.image());
}

}  // namespace

State create(const Asked &asked)
{
	const Geometry geometry = checked_geometry(asked);
	varlena *value = new_image(State::image_size(geometry, asked.seed));
	return State::create(image_of(value), parameters_for(asked), geometry.bits);
}

State copy_of(const varlena *value)
{
	State state;
	if (!State::open(image_of(duplicate(value)), state))
		elog(ERROR, "cuckoo filter was not opened");
	return state;
}

varlena *parameterless()
{
	const Header header{SketchKind::cuckoo, 0, {}, 0};
	varlena *value = new_image(header.size());
	header.write(image_of(value).data());
	return value;
}

void add(State &state, Hash64 hash)
{
	if (const Change change = state.add(hash); change != Change::done)
		require_done(change, state.read(), state.items() + 1);
}

State united(State state, const varlena *value, const Filter &filter)
{
	const Filter held = state.read();
	require_same(held, filter);
	const std::uint64_t wanted = held.items() + filter.items();
	if (held.items() >= filter.items()) {
		merge(state, filter, wanted);
		return state;
	}
	State larger = copy_of(value);
	merge(larger, held, wanted);
	return larger;
}

extern "C" {

PG_FUNCTION_INFO_V1(cuckoo_in);
PG_FUNCTION_INFO_V1(cuckoo_recv);
PG_FUNCTION_INFO_V1(cuckoo_from_bytea);
PG_FUNCTION_INFO_V1(cuckoo_empty);
PG_FUNCTION_INFO_V1(cuckoo_add);
PG_FUNCTION_INFO_V1(cuckoo_remove);
PG_FUNCTION_INFO_V1(cuckoo_try_remove);
PG_FUNCTION_INFO_V1(cuckoo_union);

Datum cuckoo_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Filter::type_name, accept);
}

Datum cuckoo_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Filter::type_name, accept);
}

Datum cuckoo_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Filter::type_name, accept);
}

Datum cuckoo_empty(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(value_of(create({PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)}).image()));
}

// cuckoo_add(filter, value): the filter with a copy more.
Datum cuckoo_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	const Given given(fcinfo);
	if (given.filter.is_parameterless())
		raise_no_parameters(Filter::type_name, "cuckoo filter");
	State state = copy_of(given.value);
	state.set_kind(given.source.kind);
	add(state, given.hash(fcinfo));
	warn_if_overfull(state.read());
	PG_RETURN_POINTER(value_of(state.image()));
}

// cuckoo_remove(filter, value): the filter with a copy less, or an error where the
// value is certainly not in it.
Datum cuckoo_remove(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	varlena *rest = with_one_less(fcinfo);
	if (rest == nullptr)
		raise_not_there(Filter::type_name, "cuckoo filter");
	PG_RETURN_POINTER(rest);
}

// cuckoo_try_remove(filter, value): the filter, and whether there was a copy to remove.
Datum cuckoo_try_remove(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	varlena *rest = PG_ARGISNULL(1) ? nullptr : with_one_less(fcinfo);
	Datum values[] = {rest != nullptr ? PointerGetDatum(rest) : PG_GETARG_DATUM(0), BoolGetDatum(rest != nullptr)};
	bool nulls[std::size(values)] = {};
	return row_result(fcinfo, values, nulls);
}

Datum cuckoo_union(PG_FUNCTION_ARGS)
{
	const varlena *first = image_argument(fcinfo, 0);
	const varlena *second = image_argument(fcinfo, 1);
	const Filter a = open_or_raise<Filter>(first);
	const Filter b = open_or_raise<Filter>(second);
	if (a.is_parameterless())
		PG_RETURN_POINTER(second);
	if (b.is_parameterless())
		PG_RETURN_POINTER(first);
	require_same(a, b);
	const bool is_first_larger = a.items() >= b.items();
	const State both = is_first_larger ? united(copy_of(first), second, b) : united(copy_of(second), first, a);
	warn_if_overfull(both.read());
	PG_RETURN_POINTER(value_of(both.image()));
}

}  // extern "C"
}  // namespace bloomsketch::cuckoo
