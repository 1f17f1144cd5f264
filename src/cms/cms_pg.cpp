// The SQL functions of type cms: read the arguments, call the core, return.
// cms_window_pg.cpp has those behind moving window frames.
#include "cms/cms_pg.hpp"

#include "cms/inner_product.hpp"
#include "common/kept_pg.hpp"
#include "common/value_pg.hpp"

namespace bloomsketch::cms {

namespace {

[[noreturn]] void raise_parameter_mismatch(const Sketch &a, const Sketch &b)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("cms with epsilon %s and delta %s does not go with epsilon %s and delta %s",
	               shortest(a.parameters().epsilon), shortest(a.parameters().delta), shortest(b.parameters().epsilon),
	               shortest(b.parameters().delta)),
	        errdetail("They have %u x %u and %u x %u counters.", a.width(), a.depth(), b.width(), b.depth()),
	        errhint("Build all sketches that are to be united with one epsilon and one delta."));
	pg_unreachable();
}

[[noreturn]] void raise_total_out_of_range()
{
	ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("total of a cms is out of range"),
	        errdetail("All weights together are at most %lld.", static_cast<long long>(max_total)));
	pg_unreachable();
}

}  // namespace

void require_same(const Sketch &a, const Sketch &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::parameters: raise_parameter_mismatch(a, b);
	case Mismatch::seed: raise_seed_mismatch(Sketch::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Sketch::type_name, a.kind(), b.kind());
	}
}

void require_done(Change change)
{
	switch (change) {
	case Change::done: return;
	case Change::too_large: raise_total_out_of_range();
	case Change::damaged: raise_malformed(Sketch::type_name, Malformed::bad_count);
	case Change::no_room: elog(ERROR, "cms was not grown");
	}
}

varlena *stored(const Sketch &sketch)
{
	return value_of(store(sketch, allocate));
}

varlena *parameterless()
{
	varlena *value = new_image(parameterless_size);
	store_parameterless(image_of(value).data());
	return value;
}

namespace {

void require_share(const char *name, double share, double example)
{
	if (!is_valid_share(share))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s %s is out of range", name, shortest(share)),
		        errhint("A cms's %s is above 0 and below 1, for example %s.", name, shortest(example)));
}

void require_parameters(const Parameters &parameters)
{
	require_share("epsilon", parameters.epsilon, default_epsilon);
	require_share("delta", parameters.delta, default_delta);
	if (!geometry_for(parameters).fits())
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("cms with epsilon %s and delta %s takes more than 256 MB of counters", shortest(parameters.epsilon),
		               shortest(parameters.delta)),
		        errhint("It has e / epsilon times ln(1 / delta) counters of 8 bytes: choose a larger epsilon or delta."));
}

void require_kind(ValueKind held, ValueKind kind)
{
	if (!held.is_none() && held != kind)
		raise_kind_mismatch(Sketch::type_name, held, kind);
}

std::uint64_t checked_weight(std::int64_t weight)
{
	if (weight < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("weight %lld is negative", static_cast<long long>(weight)),
		        errhint("A cms counts what is added: weights are 0 or more."));
	return static_cast<std::uint64_t>(weight);
}

// A copy to change, of a sketch that has parameters.
State copy_of(const Sketch &sketch)
{
	State state;
	require_done(copy(sketch, state, allocate));
	return state;
}

// Finds the aggregate's state in argument 0, to be changed in place: nothing
// else in an aggregate may be. Anything but a state is copied first. False where
// there is no state yet, or a sketch without parameters.
bool find_state(FunctionCallInfo fcinfo, State &state)
{
	if (PG_ARGISNULL(0))
		return false;
	if (State::open(state_image(fcinfo), state))
		return true;
	const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	if (sketch.is_parameterless())
		return false;
	state = copy_of(sketch);
	return true;
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
			weight = checked_weight(PG_GETARG_INT64(2));
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
	require_kind(state.kind(), kind);
	return state;
}

// An argument as the result: itself, or stored if it is a working form.
Datum unchanged(FunctionCallInfo fcinfo, int argument, const Sketch &sketch)
{
	if (sketch.is_working())
		PG_RETURN_POINTER(stored(sketch));
	PG_RETURN_DATUM(PG_GETARG_DATUM(argument));
}

// Only an aggregate of the user's own that has no final function hands out a
// working form.
Sketch at_rest(const Sketch &sketch)
{
	return sketch.is_working() ? open_or_raise<Sketch>(stored(sketch)) : sketch;
}

varlena *accept_image(const varlena *value, Malformed &reason)
{
	MutableBytes image;
	reason = accept(image_of(value), image, allocate);
	return reason == Malformed::no ? value_of(image) : nullptr;
}

// The sketch in argument 0, which a query that looks many values up in a stored
// one detoasts once.
const varlena *looked_up(FunctionCallInfo fcinfo)
{
	const Datum given = PG_GETARG_DATUM(0);
	const bool is_stored_apart = VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(given));
	const varlena *kept = is_stored_apart ? kept_whole(given, 1) : nullptr;
	return kept != nullptr ? kept : image_argument(fcinfo, 0);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cms_in);
PG_FUNCTION_INFO_V1(cms_recv);
PG_FUNCTION_INFO_V1(cms_from_bytea);
PG_FUNCTION_INFO_V1(cms_agg_step);
PG_FUNCTION_INFO_V1(cms_union_step);
PG_FUNCTION_INFO_V1(cms_final);
PG_FUNCTION_INFO_V1(cms_empty);
PG_FUNCTION_INFO_V1(cms_add);
PG_FUNCTION_INFO_V1(cms_union);
PG_FUNCTION_INFO_V1(cms_count);
PG_FUNCTION_INFO_V1(cms_total);
PG_FUNCTION_INFO_V1(cms_inner_product);
PG_FUNCTION_INFO_V1(cms_info);

Datum cms_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Sketch::type_name, accept_image);
}

Datum cms_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Sketch::type_name, accept_image);
}

Datum cms_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Sketch::type_name, accept_image);
}

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

// cms_empty([epsilon, delta, seed])
Datum cms_empty(PG_FUNCTION_ARGS)
{
	if (PG_NARGS() == 0)
		PG_RETURN_POINTER(parameterless());
	const Parameters parameters{PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)};
	require_parameters(parameters);
	PG_RETURN_POINTER(stored(create(parameters, allocate).read()));
}

// cms_add(sketch, value [, weight]): the sketch itself where that changes nothing.
Datum cms_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		return unchanged(fcinfo, 0, sketch);
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(sketch.kind(), source.kind);
	const std::uint64_t weight = PG_NARGS() > 2 ? checked_weight(PG_GETARG_INT64(2)) : 1;
	if (weight == 0)
		return unchanged(fcinfo, 0, sketch);
	State state = sketch.is_parameterless() ? create(Parameters{}, allocate) : copy_of(sketch);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	require_done(add(state, source.kind, hash, weight, allocate));
	PG_RETURN_POINTER(stored(state.read()));
}

Datum cms_union(PG_FUNCTION_ARGS)
{
	const Sketch a = open_or_raise<Sketch>(image_argument(fcinfo, 0));
	const Sketch b = open_or_raise<Sketch>(image_argument(fcinfo, 1));
	if (a.is_parameterless())
		return unchanged(fcinfo, 1, b);
	if (b.is_parameterless())
		return unchanged(fcinfo, 0, a);
	require_same(a, b);
	State state = copy_of(a);
	require_done(merge(state, b, allocate));
	PG_RETURN_POINTER(stored(state.read()));
}

// cms_count(sketch, value): never under the truth.
Datum cms_count(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Sketch sketch = open_or_raise<Sketch>(looked_up(fcinfo));
	require_kind(sketch.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	PG_RETURN_INT64(static_cast<int64>(sketch.count(hash)));
}

Datum cms_total(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(static_cast<int64>(open_or_raise<Sketch>(looked_up(fcinfo)).total()));
}

Datum cms_inner_product(PG_FUNCTION_ARGS)
{
	const Sketch a = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 0)));
	const Sketch b = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 1)));
	require_same(a, b);
	std::optional<std::int64_t> product;
	if (const Malformed reason = inner_product(a, b, product); reason != Malformed::no)
		raise_malformed(Sketch::type_name, reason);
	if (!product)
		ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("inner product of two cms is out of range"),
		        errdetail("It is more than %lld.", static_cast<long long>(PG_INT64_MAX)));
	PG_RETURN_INT64(*product);
}

Datum cms_info(PG_FUNCTION_ARGS)
{
	const Sketch sketch = at_rest(open_or_raise<Sketch>(image_argument(fcinfo, 0)));
	const bool bare = sketch.is_parameterless();
	Datum values[] = {
		Int32GetDatum(static_cast<int32>(sketch.width())),
		Int32GetDatum(static_cast<int32>(sketch.depth())),
		Float8GetDatum(sketch.parameters().epsilon),
		Float8GetDatum(sketch.parameters().delta),
		Int64GetDatum(static_cast<int64>(sketch.total())),
		Int64GetDatum(static_cast<int64>(sketch.error_bound())),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + sketch.size())),
		CStringGetTextDatum(kind_name(sketch.kind())),
		Int64GetDatum(sketch.seed()),
	};
	bool nulls[] = {bare, bare, bare, bare, false, false, false, sketch.kind().is_none(), bare};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::cms
