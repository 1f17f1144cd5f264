// The functions behind the aggregates over values and over sketches.
#include "cms/cms_pg.hpp"

#include "common/value_pg.hpp"

namespace bloomsketch::cms {
namespace {

bool find_state(FunctionCallInfo fcinfo, State &state)
{
	return bloomsketch::find_state<Sketch>(fcinfo, state, [](const varlena *, const Sketch &sketch) {
		return copy_of(sketch);
	});
}

// The arguments of a step function behind state and value: [weight], or [weight]
// epsilon, delta [, seed].
struct StepArguments {
	explicit StepArguments(FunctionCallInfo fcinfo)
	{
		const int count = PG_NARGS() - 2;
		const bool has_weight = count == 1 || count > 2;
		if (has_weight && PG_ARGISNULL(2)) {
			is_skipped = true;
			return;
		}
		if (has_weight)
			weight = checked_weight(Sketch::type_name, PG_GETARG_INT64(2));
		if (count > 1)
			read_parameters(fcinfo, has_weight ? 3 : 2);
	}

	void read_parameters(FunctionCallInfo fcinfo, int at)
	{
		if (PG_ARGISNULL(at))
			raise_null_parameter("epsilon");
		if (PG_ARGISNULL(at + 1))
			raise_null_parameter("delta");
		parameters = {PG_GETARG_FLOAT8(at), PG_GETARG_FLOAT8(at + 1), 0};
		if (PG_NARGS() == at + 2)
			return;
		if (PG_ARGISNULL(at + 2))
			raise_null_parameter("seed");
		parameters.seed = PG_GETARG_INT64(at + 2);
	}

	bool is_skipped = false;
	std::uint64_t weight = 1;
	Parameters parameters;
};

// A group's parameters stay what its first value had.
void require_unchanged(const Parameters &held, const Parameters &given)
{
	if (held == given)
		return;
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("epsilon, delta or seed changes within a group"),
	        errdetail("They were %s, %s and %lld, and are %s, %s and %lld.", shortest(held.epsilon), shortest(held.delta),
	                  static_cast<long long>(held.seed), shortest(given.epsilon), shortest(given.delta),
	                  static_cast<long long>(given.seed)));
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly have equal heads, so that a row's is known from another.
struct Step : CachedSource {
	KnownHead known;
};
static_assert(std::is_trivially_destructible_v<Step>);

// The state that goes with this row's parameters and kind of value.
State state_to_add_to(FunctionCallInfo fcinfo, const Parameters &given, ValueKind kind)
{
	State state;
	if (find_state(fcinfo, state)) {
		require_unchanged(state.parameters(), given);
	} else {
		require_parameters(given);
		state = create(given, allocate);
	}
	require_kind(Sketch::type_name, state.kind(), kind);
	return state;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cms_agg_step);
PG_FUNCTION_INFO_V1(cms_union_step);
PG_FUNCTION_INFO_V1(cms_final);

// cms_agg_step(state, value [, weight] [, epsilon, delta [, seed]])
Datum cms_agg_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "cms_agg_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const StepArguments given(fcinfo);
	if (given.is_skipped)
		return unchanged_state(fcinfo);
	auto &step = kept_for_argument<Step>(fcinfo, 1);
	const Hash64 hash = hash_value(step.source, PG_GETARG_DATUM(1), given.parameters.seed);
	State state;
	// A known head has the parameters and the kind that were checked with it.
	const bool is_known =
		State::open_known(state_image(fcinfo), step.known, state) && given.parameters == step.known.head().parameters;
	if (is_known && state.add(hash, given.weight) == Change::done)
		PG_RETURN_POINTER(value_of(state.image()));
	if (!is_known)
		state = state_to_add_to(fcinfo, given.parameters, step.source.kind);
	require_done(add(state, step.source.kind, hash, given.weight, allocate));
	if (state.kind() == step.source.kind && !state.is_sparse())
		step.known = state.known_head();
	PG_RETURN_POINTER(value_of(state.image()));
}

// cms_union_step(state, cms): also combines the partial states of workers.
Datum cms_union_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "cms_union_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	const varlena *added = image_argument(fcinfo, 1);
	const Sketch sketch = open_or_raise<Sketch>(added);
	State state;
	if (!find_state(fcinfo, state))
		PG_RETURN_POINTER(added);
	if (!sketch.is_parameterless()) {
		require_same(state.read(), sketch);
		require_done(merge(state, sketch, allocate));
	}
	PG_RETURN_POINTER(value_of(state.image()));
}

// The sketch that a state has become. Aggregates over values have one even
// without any; their final functions are called with NULL then.
Datum cms_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(parameterless());
	return unchanged(fcinfo, 0, open_or_raise<Sketch>(image_argument(fcinfo, 0)));
}

}  // extern "C"
}  // namespace bloomsketch::cms
