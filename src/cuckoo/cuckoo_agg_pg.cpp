// The functions behind the aggregates over values and over filters.
#include "cuckoo/cuckoo_pg.hpp"

namespace bloomsketch::cuckoo {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Filter>(fcinfo, state, [](const varlena *value, const Filter &) { return copy_of(value); });
}

// The parameters that a step function was called with, behind state and value.
Asked step_parameters(FunctionCallInfo fcinfo)
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
void require_unchanged(const Parameters &held, const Asked &asked)
{
	if (held == asked.parameters())
		return;
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("capacity, false positive rate or seed changes within a group"),
	        errdetail("They were %lld, %s and %lld, and are %lld, %s and %lld.", static_cast<long long>(held.capacity),
	                  shortest(held.rate), static_cast<long long>(held.seed), static_cast<long long>(asked.capacity),
	                  shortest(asked.rate), static_cast<long long>(asked.seed)));
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly have equal heads, so that a row's is known from another.
struct Step : CachedSource {
	Asked asked;
	KnownHead known;
};
static_assert(std::is_trivially_destructible_v<Step>);

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Asked &asked, ValueKind kind)
{
	State state;
	if (find_state(fcinfo, state))
		require_unchanged(state.parameters(), asked);
	else
		state = create(asked);
	require_kind(Filter::type_name, state.kind(), kind);
	state.set_kind(kind);
	return state;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cuckoo_agg_step);
PG_FUNCTION_INFO_V1(cuckoo_union_step);
PG_FUNCTION_INFO_V1(cuckoo_final);

// cuckoo_agg_step(state, value, capacity, false_positive_rate [, seed])
Datum cuckoo_agg_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "cuckoo_agg_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	auto &step = kept_for_argument<Step>(fcinfo, 1);
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

// cuckoo_union_step(state, cuckoo): also combines the partial states of workers.
Datum cuckoo_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "cuckoo_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const varlena *added = image_argument(fcinfo, 1);
	const Filter filter = open_or_raise<Filter>(added);
	State state;
	if (!find_state(fcinfo, state))
		PG_RETURN_POINTER(added);
	if (!filter.is_parameterless())
		state = united(state, added, filter);
	PG_RETURN_POINTER(value_of(state.image()));
}

// The state is the result already. Aggregates over values have one even without any;
// their final functions are called with NULL then.
Datum cuckoo_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	const varlena *result = image_argument(fcinfo, 0);
	const Filter filter = open_or_raise<Filter>(result);
	if (!filter.is_parameterless())
		warn_if_overfull(filter);
	PG_RETURN_POINTER(result);
}

}  // extern "C"
}  // namespace bloomsketch::cuckoo
