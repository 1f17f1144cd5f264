// The functions behind the aggregates over values and over sketches.
#include "topk/topk_pg.hpp"

namespace bloomsketch::topk {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Sketch>(fcinfo, state, [](const varlena *, const Sketch &sketch) {
		return copy_of(sketch);
	});
}

// The arguments of a step function behind state and value: k [, weight [, seed]].
struct StepArguments {
	explicit StepArguments(FunctionCallInfo fcinfo)
	{
		const bool has_weight = PG_NARGS() > 3;
		is_skipped = has_weight && PG_ARGISNULL(3);
		if (is_skipped)
			return;
		if (has_weight)
			weight = checked_weight(Sketch::type_name, PG_GETARG_INT64(3));
		if (PG_ARGISNULL(2))
			raise_null_parameter("k");
		parameters.k = static_cast<std::uint32_t>(PG_GETARG_INT32(2));
		if (PG_NARGS() == 4 || !has_weight)
			return;
		if (PG_ARGISNULL(4))
			raise_null_parameter("seed");
		parameters.seed = PG_GETARG_INT64(4);
	}

	std::int32_t k() const { return static_cast<std::int32_t>(parameters.k); }

	bool is_skipped = false;
	std::uint64_t weight = 1;
	Parameters parameters;  // k unchecked, maybe below 0
};

// A group's parameters stay what its first value had.
void require_unchanged(const Parameters &held, const StepArguments &given)
{
	if (held.k != given.parameters.k)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("k changes within a group, from %u to %d", held.k, given.k()));
	if (held.seed != given.parameters.seed)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("seed changes within a group, from %lld to %lld", static_cast<long long>(held.seed),
		               static_cast<long long>(given.parameters.seed)));
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate often have equal heads, so that a row's is known from another.
struct Step : WrittenSource {
	KnownHead known;
};
static_assert(std::is_trivially_destructible_v<Step>);

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const StepArguments &given, ValueKind kind)
{
	State state;
	if (find_state(fcinfo, state)) {
		require_unchanged(state.parameters(), given);
	} else {
		require_k(given.k());
		state = create(given.parameters, allocate);
	}
	require_kind(Sketch::type_name, state.kind(), kind);
	return state;
}

// Adds a value for which find() gave `number`, and which has no counter, or may have
// another text than the one with its counter. Out of line, to keep the way of most rows
// short.
[[gnu::noinline]] void add_with_text(State &state, std::uint32_t number, WrittenSource &written, Datum value, Hash64 hash,
                                     std::uint64_t weight)
{
	ImageBuffer buffer;
	const Bytes text = render(written, value, buffer);
	require_done(add_found(state, number, written.source.kind, hash, weight, text, allocate), text);
}

void add_value(State &state, WrittenSource &written, Datum value, Hash64 hash, std::uint64_t weight)
{
	if (weight == 0)
		return;
	const std::uint32_t number = state.find(hash);
	if (number != State::none && !written.may_differ(value))
		require_done(state.add_to(number, weight));
	else
		add_with_text(state, number, written, value, hash, weight);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(topk_agg_step);
PG_FUNCTION_INFO_V1(topk_union_step);
PG_FUNCTION_INFO_V1(topk_final);

// topk_agg_step(state, value, k [, weight [, seed]])
Datum topk_agg_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "topk_agg_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const StepArguments given(fcinfo);
	if (given.is_skipped)
		return unchanged_state(fcinfo);
	auto &step = kept_for_written_argument<Step>(fcinfo, 1);
	State state;
	// A known head has the parameters and the kind that were checked with it.
	const bool is_known = State::open_known(state_image(fcinfo), step.known, state) && state.parameters() == given.parameters;
	if (!is_known)
		state = state_to_add_to(fcinfo, given, step.source.kind);
	const Datum value = PG_GETARG_DATUM(1);
	add_value(state, step, value, hash_value(step.source, value, given.parameters.seed), given.weight);
	if (!is_known && state.kind() == step.source.kind)
		step.known = state.known_head();
	PG_RETURN_POINTER(value_of(state.image()));
}

// topk_union_step(state, topk): also combines the partial states of workers. Its own
// states are at rest.
Datum topk_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "topk_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const SketchArgument added(fcinfo, 1);
	const Datum state = PG_ARGISNULL(0) ? added.datum : united(SketchArgument(fcinfo, 0), added);
	PG_RETURN_POINTER(detoast_packed(state));
}

// The sketch that a state has become. Aggregates over values have one even without
// any; their final functions are called with NULL then.
Datum topk_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	PG_RETURN_DATUM(SketchArgument(fcinfo, 0).datum);
}

}  // extern "C"
}  // namespace bloomsketch::topk
