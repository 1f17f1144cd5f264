// How large a filter is, and whether there can be one.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

void require_parameters(std::int64_t capacity, double rate)
{
	if (capacity < 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("capacity %lld is out of range", static_cast<long long>(capacity)),
		        errhint("A bloom filter is made for at least 1 distinct value."));
	if (!is_valid_rate(rate))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range", shortest(rate)),
		        errhint("A false positive rate is above 0 and below 1, for example 0.01."));
	if (capacity <= largest_capacity && rate < smallest_rate(static_cast<std::uint64_t>(capacity)))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range for %lld values", shortest(rate),
		               static_cast<long long>(capacity)),
		        errhint("Hashes of 64 bits collide: the rate must be at least %s for so many.",
		                shortest(smallest_rate(static_cast<std::uint64_t>(capacity)))));
}

// The filter's size. The last one is kept: it takes up to a millisecond, and
// the groups of an aggregate mostly have equal parameters.
Sizing checked_sizing(std::int64_t capacity, double rate)
{
	static std::int64_t last_capacity = 0;
	static double last_rate = 0;
	static Sizing last;
	require_parameters(capacity, rate);
	if (capacity != last_capacity || rate != last_rate) {
		last = size_for(static_cast<std::uint64_t>(capacity), rate, State::most_blocks(rate));
		last_capacity = capacity;
		last_rate = rate;
	}
	if (last.blocks == 0)
		raise_too_large("bloom filter", {capacity, rate, 0}, "is");
	return last;
}

extern "C" {

PG_FUNCTION_INFO_V1(bloom_sizing);

// bloom_sizing(capacity, false_positive_rate): what a filter will take.
Datum bloom_sizing(PG_FUNCTION_ARGS)
{
	const std::int64_t capacity = PG_GETARG_INT64(0);
	const double rate = PG_GETARG_FLOAT8(1);
	const Sizing sizing = checked_sizing(capacity, rate);
	const Parameters parameters{static_cast<std::uint64_t>(capacity), rate, 0, sizing.hashes};
	const auto bits = static_cast<std::int64_t>(sizing.blocks << sizing.block_bits_log2);
	Datum values[] = {
		Int64GetDatum(bits),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + State::image_size(parameters, sizing.blocks))),
		Int32GetDatum(sizing.hashes),
		Float8GetDatum(static_cast<double>(bits) / static_cast<double>(capacity)),
	};
	bool nulls[4] = {};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
