// The functions behind the aggregates over values and over filters.
#include "counting_bloom/counting_bloom_pg.hpp"

namespace bloomsketch::counting_bloom {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Filter>(fcinfo, state, [](const varlena *, const Filter &filter) {
		return copy_of(filter);
	});
}

State create(const Asked &asked, ValueKind kind)
{
	const Geometry geometry = checked_geometry(asked);
	const MutableBytes image = allocate(State::image_size(geometry.parameters, geometry.blocks));
	return State::create(image, geometry.parameters, geometry.blocks, kind);
}

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Asked &asked, ValueKind kind)
{
	return state_for_row<Filter>(fcinfo, asked, kind, find_state, create);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(counting_bloom_agg_step);
PG_FUNCTION_INFO_V1(counting_bloom_agg_incomplete);
PG_FUNCTION_INFO_V1(counting_bloom_union_step);
PG_FUNCTION_INFO_V1(counting_bloom_final);

// counting_bloom_agg_step(state, value, capacity, false_positive_rate [, seed])
Datum counting_bloom_agg_step(PG_FUNCTION_ARGS)
{
	return filter_agg_step<State, KnownHead>(fcinfo, "counting_bloom_agg_step", state_to_add_to,
	                                         [](State &state, Hash64 hash) { state.add(hash); });
}

// counting_bloom_agg(value, number): whichever of the two was meant.
Datum counting_bloom_agg_incomplete(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "counting_bloom_agg_step");
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("counting_bloom_agg needs a capacity and a false positive rate"),
	        errhint("Write counting_bloom_agg(value, capacity, false_positive_rate), for example "
	                "counting_bloom_agg(x, 100000, 0.01)."));
	PG_RETURN_NULL();
}

// counting_bloom_union_step(state, counting_bloom): also combines the partial states of
// workers. A first filter is the state as it is; from the second on counters are added up.
Datum counting_bloom_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "counting_bloom_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const varlena *added = image_argument(fcinfo, 1);
	const Filter filter = open_or_raise<Filter>(added);
	if (filter.is_parameterless() && !PG_ARGISNULL(0))
		return unchanged_state(fcinfo);
	State state;
	if (!find_state(fcinfo, state))
		PG_RETURN_POINTER(added);
	unite(state, filter);
	PG_RETURN_POINTER(value_of(state.image()));
}

// The filter that a state has become. Aggregates over values have one even without any;
// their final functions are called with NULL then.
Datum counting_bloom_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	const FilterArgument result(fcinfo, 0);
	if (!result.filter.is_parameterless())
		warn_if_overfull(result.filter);
	PG_RETURN_POINTER(detoast_packed(result.datum));
}

}  // extern "C"
}  // namespace bloomsketch::counting_bloom
