// The functions behind the aggregates over filters, and over values with a capacity.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Filter>(fcinfo, state, [](const varlena *value, const Filter &) {
		return copy_of(at_rest(value));
	});
}

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Asked &asked, ValueKind kind)
{
	if (!PG_ARGISNULL(0) && sizes_itself(image_of(image_argument(fcinfo, 0))))
		raise_fixed_and_layered(image_argument(fcinfo, 0), value_of(create_to_fill(asked, kind).image()));
	return state_for_row<Filter>(fcinfo, asked, kind, find_state, create_to_fill);
}

// Of two filters with a capacity.
const varlena *united_fixed(FunctionCallInfo fcinfo, const varlena *added)
{
	State state;
	find_state(fcinfo, state);
	unite(state, open_or_raise<Filter>(added));
	return value_of(state.image());
}

// The state, to be changed in place, or a copy where it can't be.
MutableBytes writable_state(FunctionCallInfo fcinfo)
{
	const MutableBytes image = state_image(fcinfo);
	return image.empty() ? image_of(duplicate(image_argument(fcinfo, 0))) : image;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_agg_step);
PG_FUNCTION_INFO_V1(bloom_union_step);
PG_FUNCTION_INFO_V1(bloom_final);

// bloom_agg_step(state, value, capacity, false_positive_rate [, seed])
Datum bloom_agg_step(PG_FUNCTION_ARGS)
{
	return filter_agg_step<State, KnownHead>(fcinfo, "bloom_agg_step", state_to_add_to,
	                                         [](State &state, Hash64 hash) { state.add(hash); });
}

// bloom_union_step(state, bloom): also combines the partial states of workers.
Datum bloom_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "bloom_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const varlena *added = image_argument(fcinfo, 1);
	const bool adds_nothing = is_parameterless(added);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(added);
	const varlena *held = image_argument(fcinfo, 0);
	if (is_parameterless(held))
		PG_RETURN_POINTER(added);
	if (adds_nothing)
		return unchanged_state(fcinfo);
	if (sizes_itself(image_of(held)) != sizes_itself(image_of(added)))
		raise_fixed_and_layered(held, added);
	PG_RETURN_POINTER(sizes_itself(image_of(held)) ? combine_layers(writable_state(fcinfo), added)
	                                               : united_fixed(fcinfo, added));
}

// A state at rest is the result already. Aggregates over values have one even
// without any; their final functions are called with NULL then.
Datum bloom_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	const varlena *result = at_rest(image_argument(fcinfo, 0));
	if (!is_parameterless(result))
		warn_if_overfull(result);
	PG_RETURN_POINTER(result);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
