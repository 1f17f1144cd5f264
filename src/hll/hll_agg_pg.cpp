// The functions behind the aggregates over values and over sketches.
#include "common/value_pg.hpp"
#include "hll/hll_pg.hpp"

namespace bloomsketch::hll {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Sketch>(fcinfo, state, [](const varlena *, const Sketch &sketch) {
		return copy_of(sketch, sketch.precision());
	});
}

// The parameters that a step function was called with, behind state and value.
Parameters step_parameters(FunctionCallInfo fcinfo)
{
	Parameters parameters{default_precision, 0};
	if (PG_NARGS() > 2) {
		if (PG_ARGISNULL(2))
			raise_null_parameter("precision");
		parameters.precision = PG_GETARG_INT32(2);
		require_precision(parameters.precision);
	}
	if (PG_NARGS() > 3) {
		if (PG_ARGISNULL(3))
			raise_null_parameter("seed");
		parameters.seed = PG_GETARG_INT64(3);
	}
	return parameters;
}

// A group's parameters stay what its first value had.
void require_unchanged(FunctionCallInfo fcinfo, const State &state, Parameters parameters)
{
	if (PG_NARGS() > 2 && state.parameters().precision != parameters.precision)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("precision changes within a group, from %d to %d", state.parameters().precision,
		               parameters.precision));
	if (PG_NARGS() > 3 && state.parameters().seed != parameters.seed)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("seed changes within a group, from %lld to %lld",
		               static_cast<long long>(state.parameters().seed), static_cast<long long>(parameters.seed)));
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly have equal heads, so that a row's is known from another.
struct Step : CachedSource {
	KnownHead known;
};
static_assert(std::is_trivially_destructible_v<Step>);

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, Parameters given, ValueKind kind)
{
	State state;
	if (!find_state(fcinfo, state))
		state = create(State::layout_for(given, 1), given, kind, allocate);
	require_unchanged(fcinfo, state, given);
	require_kind(Sketch::type_name, state.kind(), kind);
	state.set_kind(kind);
	return state;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(hll_agg_step);
PG_FUNCTION_INFO_V1(hll_union_step);
PG_FUNCTION_INFO_V1(hll_final);

// hll_agg_step(state, value [, precision [, seed]])
Datum hll_agg_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "hll_agg_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	auto &step = kept_for_argument<Step>(fcinfo, 1);
	const Parameters given = step_parameters(fcinfo);
	State state;
	// A known head has the parameters and the kind that were checked with it.
	const bool is_known = State::open_known(state_image(fcinfo), step.known, state) && given == state.parameters();
	if (!is_known)
		state = state_to_add_to(fcinfo, given, step.source.kind);
	add(state, hash_value(step.source, PG_GETARG_DATUM(1), state.parameters().seed), allocate);
	if (!is_known)
		step.known = state.known_head();
	PG_RETURN_POINTER(value_of(state.image()));
}

// hll_union_step(state, hll): also combines the partial states of workers.
Datum hll_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "hll_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const Sketch added = open_or_raise<Sketch>(image_argument(fcinfo, 1));
	State state;
	if (find_state(fcinfo, state))
		unite(state, added);
	else if (added.is_parameterless())
		PG_RETURN_POINTER(parameterless());
	else
		state = copy_of(added, added.precision());
	PG_RETURN_POINTER(value_of(state.image()));
}

// The sketch that a state has become. Aggregates over values have one even
// without any; their final functions are called with NULL then.
Datum hll_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	PG_RETURN_POINTER(stored(open_or_raise<Sketch>(image_argument(fcinfo, 0))));
}

}  // extern "C"
}  // namespace bloomsketch::hll
