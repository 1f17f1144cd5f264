// The step functions behind the aggregates that are told no capacity.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {
namespace {

constexpr double default_rate = 0.01;

// The rate that a step function was called with, behind state and value.
double step_rate(FunctionCallInfo fcinfo)
{
	if (PG_NARGS() < 3)
		return default_rate;
	if (PG_ARGISNULL(2))
		raise_null_parameter("false positive rate");
	return PG_GETARG_FLOAT8(2);
}

// A number from 1 on was meant as a capacity.
void require_rate(double rate)
{
	if (rate >= 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range", shortest(rate)),
		        errdetail("A false positive rate is above 0 and below 1, for example 0.01."),
		        errhint("With a capacity, write both: bloom_agg(value, capacity, false_positive_rate), for example "
		                "bloom_agg(x, 100000, 0.01)."));
	require_parameters(1, rate);
}

// Kept in fn_extra behind the value's source; begins zeroed. The groups of an
// aggregate mostly begin with equal bytes, so that a row's state is known from another.
struct SizedStep : CachedSource {
	double rate;
	std::int64_t seed;
	std::size_t known_size;
	std::array<std::uint8_t, TargetHead::largest> known;

	bool knows(Bytes image) const
	{
		return known_size != 0 && image.size() > known_size && std::memcmp(image.data(), known.data(), known_size) == 0;
	}
	void remember(Bytes image, const TargetHead &head)
	{
		rate = head.target;
		seed = head.header.seed;
		known_size = head.size();
		std::copy_n(image.begin(), known_size, known.begin());
	}
};
static_assert(std::is_trivially_destructible_v<SizedStep>);

// The state in argument 0 to be changed in place, a copy where it can't be, or a new one.
MutableBytes find_or_begin(FunctionCallInfo fcinfo, double rate, ValueKind kind)
{
	if (!PG_ARGISNULL(0)) {
		const varlena *value = image_argument(fcinfo, 0);
		if (!is_parameterless(value)) {
			const MutableBytes image = state_image(fcinfo);
			return image.empty() ? image_of(duplicate(value)) : image;
		}
	}
	require_rate(rate);
	return begin_collecting(kind, 0, rate, allocate);
}

// The state that goes with this row's rate and kind of value.
MutableBytes state_to_add_to(FunctionCallInfo fcinfo, double rate, SizedStep &step)
{
	const MutableBytes image = find_or_begin(fcinfo, rate, step.source.kind);
	if (!sizes_itself(image))
		raise_fixed_and_layered(value_of(image), value_of(begin_collecting(step.source.kind, 0, rate, allocate)));
	TargetHead head;
	if (const Malformed reason = head.read(image); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	if (head.target != rate)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate changes within a group, from %s to %s", shortest(head.target), shortest(rate)));
	require_kind(Filter::type_name, head.header.kind, step.source.kind);
	step.remember(image, head);
	return image;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_sized_step);

// bloom_agg_step(state, value [, false_positive_rate])
Datum bloom_sized_step(PG_FUNCTION_ARGS)
{
	require_aggregate(fcinfo, "bloom_agg_step");
	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	auto &step = kept_for_argument<SizedStep>(fcinfo, 1);
	const double rate = step_rate(fcinfo);
	MutableBytes image = state_image(fcinfo);
	// What is known has the rate and the kind that were checked with it.
	if (!(step.knows(image) && rate == step.rate))
		image = state_to_add_to(fcinfo, rate, step);
	require_grown(add(image, hash_value(step.source, PG_GETARG_DATUM(1), step.seed), allocate));
	PG_RETURN_POINTER(value_of(image));
}

}  // extern "C"
}  // namespace bloomsketch::bloom
