// What the SQL functions of all filters share that are made for a capacity and a false
// positive rate: bloom, counting_bloom, cuckoo.
#pragma once

#include "common/image_pg.hpp"
#include "common/value_pg.hpp"

namespace bloomsketch {

// A filter that a call asks for.
struct Asked {
	std::int64_t capacity;
	double rate;
	std::int64_t seed;

	bool operator==(const Asked &) const = default;
};

// What a filter with these parameters was asked for by.
template <class Parameters>
Asked asked_for(const Parameters &parameters)
{
	return {static_cast<std::int64_t>(parameters.capacity), parameters.rate, parameters.seed};
}

// The parameters that a step function was called with, behind state and value. In line:
// it is done for each row.
inline Asked step_parameters(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		raise_null_parameter("capacity");
	if (PG_ARGISNULL(3))
		raise_null_parameter("false positive rate");
	if (PG_NARGS() > 4 && PG_ARGISNULL(4))
		raise_null_parameter("seed");
	return {PG_GETARG_INT64(2), PG_GETARG_FLOAT8(3), PG_NARGS() > 4 ? PG_GETARG_INT64(4) : 0};
}

// A group's parameters stay what its first value had.
void require_unchanged(const Asked &held, const Asked &asked);

// The error for filters that do not unite; `detail`, unless nullptr, says how their
// sizes differ. `filter` is what the messages call one.
[[noreturn]] void raise_size_mismatch(const char *filter, const Asked &held, const Asked &given, const char *detail);

// The error for one that is, or `verb` may become, too large for a value.
[[noreturn]] void raise_too_large(const char *filter, const Asked &asked, const char *verb);

// The error for a filter that no value can be added to, as it has no parameters.
[[noreturn]] void raise_no_parameters(const char *type_name, const char *filter);

// The error for a value that a filter can't give back, as it is certainly not in it.
[[noreturn]] void raise_not_there(const char *type_name, const char *filter);

// Warns of the false positive rate that the bits of a filter give. `is_counted` is false
// where they only tell that there are more values than `items`.
void warn_of_rate(const char *filter, double rate, const Asked &made_for, std::int64_t items, bool is_counted);

// Finds an aggregate's state by `find`, or makes one by create(asked, kind), and checks
// that this row's parameters and kind of value go with it.
template <class Filter, class State, class Create>
State state_for_row(FunctionCallInfo fcinfo, const Asked &asked, ValueKind kind, bool (*find)(FunctionCallInfo, State &),
                    Create create)
{
	State state;
	if (find(fcinfo, state))
		require_unchanged(asked_for(state.parameters()), asked);
	else
		state = create(asked, kind);
	require_kind(Filter::type_name, state.kind(), kind);
	state.set_kind(kind);
	return state;
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly have equal heads, so that a row's is known from another.
template <class KnownHead>
struct FilterStep : CachedSource {
	Asked asked;
	KnownHead known;
};

// name(state, value, capacity, false_positive_rate [, seed]): state_to_add_to(fcinfo,
// asked, kind) gives the state where its head is not known, add(state, hash) adds.
template <class State, class KnownHead, class Find, class Add>
Datum filter_agg_step(FunctionCallInfo fcinfo, const char *name, Find state_to_add_to, Add add)
{
	static_assert(std::is_trivially_destructible_v<FilterStep<KnownHead>>);
	require_aggregate(fcinfo, name);
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	auto &step = kept_for_argument<FilterStep<KnownHead>>(fcinfo, 1);
	const Asked asked = step_parameters(fcinfo);
	State state;
	// A known head has the parameters and the kind that were checked with it.
	if (!(State::open_known(state_image(fcinfo), step.known, state) && asked == step.asked)) {
		state = state_to_add_to(fcinfo, asked, step.source.kind);
		step.known = state.known_head();
		step.asked = asked;
	}
	add(state, hash_value(step.source, PG_GETARG_DATUM(1), asked.seed));
	PG_RETURN_POINTER(value_of(state.image()));
}

}  // namespace bloomsketch
