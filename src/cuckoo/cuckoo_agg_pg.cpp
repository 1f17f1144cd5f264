// The functions behind the aggregates over values and over filters.
#include "cuckoo/cuckoo_pg.hpp"

namespace bloomsketch::cuckoo {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Filter>(fcinfo, state, [](const varlena *value, const Filter &) { return copy_of(value); });
}

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Asked &asked, ValueKind kind)
{
	return state_for_row<Filter>(fcinfo, asked, kind, find_state,
	                             [](const Asked &wanted, ValueKind) { return create(wanted); });
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cuckoo_agg_step);
PG_FUNCTION_INFO_V1(cuckoo_union_step);
PG_FUNCTION_INFO_V1(cuckoo_final);

// cuckoo_agg_step(state, value, capacity, false_positive_rate [, seed])
Datum cuckoo_agg_step(PG_FUNCTION_ARGS)
{
	return filter_agg_step<State, KnownHead>(fcinfo, "cuckoo_agg_step", state_to_add_to, add);
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
