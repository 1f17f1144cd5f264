// The SQL functions of type bloom that build and ask; bloom_contains_pg.cpp
// looks values up.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

void require_kind(ValueKind held, ValueKind kind)
{
	if (!held.is_none() && held != kind)
		raise_kind_mismatch(Filter::type_name, held, kind);
}

const varlena *at_rest(const varlena *value)
{
	const Filter filter = open_or_raise<Filter>(value);
	if (!filter.is_building())
		return value;
	varlena *rest = new_image(State::image_size(filter.parameters(), filter.blocks()));
	State::create_at_rest(image_of(rest), filter);
	return rest;
}

namespace {

// Work between two looks for a cancel request.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

void require_parameters(std::int64_t capacity, double rate)
{
	if (capacity < 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("capacity %lld is out of range", static_cast<long long>(capacity)),
		        errhint("A bloom filter is made for at least 1 distinct value."));
	if (!is_valid_rate(rate))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range", shortest(rate)),
		        errhint("A false positive rate is above 0 and below 1, for example 0.01."));
	if (capacity <= largest_capacity && rate < smallest_rate(static_cast<std::uint64_t>(capacity)))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range for %lld values", shortest(rate),
		               static_cast<long long>(capacity)),
		        errhint("Hashes of 64 bits collide: the rate must be at least %.3g for so many.",
		                smallest_rate(static_cast<std::uint64_t>(capacity))));
}

// The filter's size. The last one is kept: it takes up to a millisecond, and
// the groups of an aggregate mostly have equal parameters.
Sizing checked_sizing(std::int64_t capacity, double rate)
{
	static std::int64_t last_capacity = 0;
	static double last_rate = 0;
	static Sizing last;
	require_parameters(capacity, rate);
	if (capacity != last_capacity || rate != last_rate) {
		last = size_for(static_cast<std::uint64_t>(capacity), rate, State::most_blocks(rate, 1));
		last_capacity = capacity;
		last_rate = rate;
	}
	if (last.blocks == 0)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("bloom filter for %lld values at a false positive rate of %s is larger than 1 GB",
		               static_cast<long long>(capacity), shortest(rate)),
		        errhint("Choose a smaller capacity or a higher rate, or keep one filter for each part of the values."));
	return last;
}

struct Given {
	std::int64_t capacity;
	double rate;
	std::int64_t seed;

	bool operator==(const Given &) const = default;
};

// An empty filter, to be filled by many calls or at rest.
State create(const Given &given, ValueKind kind, bool to_be_filled)
{
	const Sizing sizing = checked_sizing(given.capacity, given.rate);
	const Parameters parameters{static_cast<std::uint64_t>(given.capacity), given.rate, given.seed, sizing.hashes};
	const Form form = to_be_filled ? State::form_for(parameters, sizing.blocks) : Form::rest;
	varlena *value = new_image(State::image_size(parameters, sizing.blocks, form));
	return State::create(image_of(value), form, parameters, kind);
}

varlena *copy_of(const varlena *value)
{
	const Bytes image = image_of(value);
	varlena *copy = new_image(image.size());
	std::memcpy(image_of(copy).data(), image.data(), image.size());
	return copy;
}

// A copy to change, of a filter that has parameters.
State state_of(const varlena *value)
{
	State state;
	State::open(image_of(copy_of(value)), state);
	return state;
}

varlena *parameterless()
{
	const Header header{SketchKind::bloom, 0, {}, 0};
	varlena *value = new_image(header.size());
	header.write(image_of(value).data());
	return value;
}

// Finds the aggregate's state in argument 0, to be changed in place: nothing
// else in an aggregate may be. False where there is no state yet, or a filter
// without parameters.
bool find_state(FunctionCallInfo fcinfo, State &state)
{
	if (PG_ARGISNULL(0))
		return false;
	auto *value = reinterpret_cast<varlena *>(PG_GETARG_POINTER(0));
	if (VARATT_IS_4B_U(value) && State::open(image_of(value), state))
		return true;
	const varlena *given = image_argument(fcinfo, 0);
	if (open_or_raise<Filter>(given).is_parameterless())
		return false;
	state = state_of(given);
	return true;
}

[[noreturn]] void raise_size_mismatch(const Filter &held, const Filter &given)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("bloom filter for %lld values at %s does not go with one for %lld values at %s",
	               static_cast<long long>(held.parameters().capacity), shortest(held.parameters().rate),
	               static_cast<long long>(given.parameters().capacity), shortest(given.parameters().rate)),
	        errdetail("They have %llu and %llu bits, and %d and %d hashes for a value.",
	                  static_cast<unsigned long long>(held.bits()), static_cast<unsigned long long>(given.bits()),
	                  held.parameters().hashes, given.parameters().hashes),
	        errhint("Build all filters that are to be united with one capacity and one false positive rate."));
	pg_unreachable();
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

// Takes over what `filter` holds, which must agree in everything.
void unite(State &state, const Filter &filter)
{
	require_same(state.read(), filter);
	if (state.kind().is_none())
		state.set_kind(filter.kind());
	state.take_over_waiting(filter);
	for (std::size_t at = 0; at < filter.body().size(); at += chunk_bytes) {
		CHECK_FOR_INTERRUPTS();
		state.merge(filter, at, std::min(at + chunk_bytes, filter.body().size()));
	}
}

Fill measure(const Filter &filter)
{
	Fill fill(filter.parameters().hashes, filter.parameters().block_bits_log2());
	const std::uint64_t step = chunk_bytes / filter.parameters().block_bytes();
	for (std::uint64_t first = 0; first < filter.blocks(); first += step) {
		CHECK_FOR_INTERRUPTS();
		filter.measure(first, std::min(first + step, filter.blocks()), fill);
	}
	return fill;
}

// Beyond this multiple of its target a filter's answers are not what it was made
// for, and nothing else would tell.
constexpr double warned_excess = 2;
constexpr double saturated_excess = 1.25;

void warn_if_overfull(const Filter &filter)
{
	const Fill fill = measure(filter);
	const double rate = fill.expected_rate();
	if (rate <= warned_excess * filter.parameters().rate)
		return;
	const auto capacity = static_cast<long long>(filter.parameters().capacity);
	const auto items = static_cast<long long>(rounded(fill.items()));
	const bool is_counted = fill.full_blocks() == 0;
	ereport(WARNING,
	        errmsg("bloom filter has a false positive rate of %.3g instead of %s", rate, shortest(filter.parameters().rate)),
	        is_counted
	            ? errdetail("It was made for %lld distinct values and holds about %lld.", capacity, items)
	            : errdetail("It was made for %lld distinct values and holds more than %lld.", capacity, items),
	        is_counted
	            ? errhint("Rebuild it with a capacity of at least %lld.", items)
	            : errhint("Rebuild it with the number of distinct values as its capacity, which approx_count_distinct estimates."));
}

// The parameters that a step function was called with, behind state and value.
Given step_parameters(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		raise_null_parameter("capacity");
	if (PG_ARGISNULL(3))
		raise_null_parameter("false positive rate");
	if (PG_NARGS() > 4 && PG_ARGISNULL(4))
		raise_null_parameter("seed");
	return {PG_GETARG_INT64(2), PG_GETARG_FLOAT8(3), PG_NARGS() > 4 ? PG_GETARG_INT64(4) : 0};
}

// bloom_agg(value, number): whichever of the two was meant.
[[noreturn]] void raise_half_of_the_parameters()
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("bloom_agg needs a capacity and a false positive rate"),
	        errhint("Write bloom_agg(value, capacity, false_positive_rate), for example bloom_agg(x, 100000, 0.01)."));
	pg_unreachable();
}

// A group's parameters stay what its first value had.
void require_unchanged(const Parameters &held, const Given &given)
{
	if (static_cast<std::int64_t>(held.capacity) == given.capacity && held.rate == given.rate && held.seed == given.seed)
		return;
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("capacity, false positive rate or seed changes within a group"),
	        errdetail("It was %lld, %s, %lld and is %lld, %s, %lld.", static_cast<long long>(held.capacity),
	                  shortest(held.rate), static_cast<long long>(held.seed), static_cast<long long>(given.capacity),
	                  shortest(given.rate), static_cast<long long>(given.seed)));
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly have equal heads, so that a row's is known from another.
struct Step : CachedSource {
	Given given;
	KnownHead known;
};

bool find_known_state(FunctionCallInfo fcinfo, const KnownHead &known, State &state)
{
	if (PG_ARGISNULL(0))
		return false;
	auto *value = reinterpret_cast<varlena *>(PG_GETARG_POINTER(0));
	return VARATT_IS_4B_U(value) && State::open_known(image_of(value), known, state);
}

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Given &given, ValueKind kind)
{
	State state;
	if (find_state(fcinfo, state))
		require_unchanged(state.parameters(), given);
	else
		state = create(given, kind, true);
	require_kind(state.kind(), kind);
	state.set_kind(kind);
	return state;
}

varlena *accept(const varlena *value, Malformed &reason)
{
	Filter filter;
	reason = Filter::open(image_of(value), filter);
	if (reason == Malformed::no)
		reason = filter.check();
	if (reason != Malformed::no)
		return nullptr;
	return copy_of(at_rest(value));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_in);
PG_FUNCTION_INFO_V1(bloom_recv);
PG_FUNCTION_INFO_V1(bloom_from_bytea);
PG_FUNCTION_INFO_V1(bloom_agg_step);
PG_FUNCTION_INFO_V1(bloom_union_step);
PG_FUNCTION_INFO_V1(bloom_final);
PG_FUNCTION_INFO_V1(bloom_empty);
PG_FUNCTION_INFO_V1(bloom_add);
PG_FUNCTION_INFO_V1(bloom_union);
PG_FUNCTION_INFO_V1(bloom_count);
PG_FUNCTION_INFO_V1(bloom_info);
PG_FUNCTION_INFO_V1(bloom_sizing);

Datum bloom_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Filter::type_name, accept);
}

Datum bloom_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Filter::type_name, accept);
}

Datum bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Filter::type_name, accept);
}

// bloom_agg_step(state, value, capacity, false_positive_rate [, seed])
Datum bloom_agg_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "bloom_agg_step");
	if (PG_NARGS() == 3)
		raise_half_of_the_parameters();
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const ValueSource &source = source_for_argument<Step>(fcinfo, 1);
	auto &step = *static_cast<Step *>(fcinfo->flinfo->fn_extra);
	const Given given = step_parameters(fcinfo);
	State state;
	if (!(find_known_state(fcinfo, step.known, state) && given == step.given)) {
		state = state_to_add_to(fcinfo, given, source.kind);
		step.known = state.known_head();
		step.given = given;
	}
	state.add(hash_value(source, PG_GETARG_DATUM(1), given.seed));
	PG_RETURN_POINTER(value_of(state.image()));
}

// bloom_union_step(state, bloom): also combines the partial states of workers.
Datum bloom_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "bloom_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const varlena *added = image_argument(fcinfo, 1);
	const Filter filter = open_or_raise<Filter>(added);
	State state;
	if (!find_state(fcinfo, state))
		PG_RETURN_POINTER(copy_of(added));
	if (!filter.is_parameterless())
		unite(state, filter);
	PG_RETURN_POINTER(value_of(state.image()));
}

// A state at rest is the result already. Aggregates over values have one even
// without any; their final functions are called with NULL then.
Datum bloom_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	const varlena *result = at_rest(image_argument(fcinfo, 0));
	const Filter filter = open_or_raise<Filter>(result);
	if (!filter.is_parameterless())
		warn_if_overfull(filter);
	PG_RETURN_POINTER(result);
}

Datum bloom_empty(PG_FUNCTION_ARGS)
{
	const Given given{PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)};
	PG_RETURN_POINTER(value_of(create(given, {}, false).image()));
}

// bloom_add(filter, value): the filter itself where the value changes nothing.
Datum bloom_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const varlena *given = image_argument(fcinfo, 0);
	const varlena *value = at_rest(given);
	const Datum unchanged = value == given ? PG_GETARG_DATUM(0) : PointerGetDatum(value);
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(unchanged);
	const Filter filter = open_or_raise<Filter>(value);
	if (filter.is_parameterless())
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("bloom filter has no capacity and no rate yet"),
		        errhint("Begin with bloom_empty(capacity, false_positive_rate)."));
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(filter.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), filter.seed());
	if (filter.contains(hash))
		PG_RETURN_DATUM(unchanged);
	State state = state_of(value);
	state.set_kind(source.kind);
	state.add(hash);
	warn_if_overfull(state.read());
	PG_RETURN_POINTER(value_of(state.image()));
}

Datum bloom_union(PG_FUNCTION_ARGS)
{
	const varlena *first = at_rest(image_argument(fcinfo, 0));
	const varlena *second = at_rest(image_argument(fcinfo, 1));
	const Filter a = open_or_raise<Filter>(first);
	const Filter b = open_or_raise<Filter>(second);
	if (a.is_parameterless())
		PG_RETURN_POINTER(second);
	if (b.is_parameterless())
		PG_RETURN_POINTER(first);
	State state = state_of(first);
	unite(state, b);
	warn_if_overfull(state.read());
	PG_RETURN_POINTER(value_of(state.image()));
}

Datum bloom_count(PG_FUNCTION_ARGS)
{
	const Filter filter = open_or_raise<Filter>(at_rest(image_argument(fcinfo, 0)));
	PG_RETURN_INT64(filter.is_parameterless() ? 0 : rounded(measure(filter).items()));
}

Datum bloom_info(PG_FUNCTION_ARGS)
{
	const Filter filter = open_or_raise<Filter>(at_rest(image_argument(fcinfo, 0)));
	const bool bare = filter.is_parameterless();
	const Parameters &parameters = filter.parameters();
	const Fill fill = bare ? Fill(0, small_block_bits_log2) : measure(filter);
	const double rate = bare ? 0 : fill.expected_rate();
	Datum values[] = {
		Int64GetDatum(static_cast<int64>(parameters.capacity)),
		Float8GetDatum(parameters.rate),
		Float8GetDatum(rate),
		Int64GetDatum(bare ? 0 : rounded(fill.items())),
		Int64GetDatum(static_cast<int64>(bare ? 0 : filter.bits())),
		Int64GetDatum(static_cast<int64>(fill.bits_set())),
		Float8GetDatum(bare ? 0 : static_cast<double>(fill.bits_set()) / static_cast<double>(filter.bits())),
		Int32GetDatum(parameters.hashes),
		Int32GetDatum(bare ? 0 : 1),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + filter.size())),
		BoolGetDatum(false),
		BoolGetDatum(rate > saturated_excess * parameters.rate),
		CStringGetTextDatum(kind_name(filter.kind())),
		Int64GetDatum(filter.seed()),
	};
	bool nulls[] = {bare, bare, bare, false, bare, bare, bare, bare, bare, false, bare, bare, filter.kind().is_none(), bare};
	return row_result(fcinfo, values, nulls);
}

// bloom_sizing(capacity, false_positive_rate): what a filter will take.
Datum bloom_sizing(PG_FUNCTION_ARGS)
{
	const std::int64_t capacity = PG_GETARG_INT64(0);
	const double rate = PG_GETARG_FLOAT8(1);
	const Sizing sizing = checked_sizing(capacity, rate);
	const Parameters parameters{static_cast<std::uint64_t>(capacity), rate, 0, sizing.hashes};
	const auto bits = static_cast<std::int64_t>(sizing.blocks << sizing.block_bits_log2);
	Datum values[] = {
		Int64GetDatum(bits),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + State::image_size(parameters, sizing.blocks))),
		Int32GetDatum(sizing.hashes),
		Float8GetDatum(static_cast<double>(bits) / static_cast<double>(capacity)),
	};
	bool nulls[4] = {};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
