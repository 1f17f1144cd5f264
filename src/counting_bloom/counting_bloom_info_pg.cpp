// How large a filter is, whether there can be one, what its bits and counters say, and
// the warning when there are too many.
#include "bloom/bloom_pg.hpp"
#include "counting_bloom/counting_bloom_pg.hpp"

namespace bloomsketch::counting_bloom {

Geometry checked_geometry(const Asked &asked)
{
	const bloom::Sizing sizing = bloom::checked_sizing(asked.capacity, asked.rate);
	if (sizing.blocks > most_blocks(asked.rate))
		raise_too_large(Filter::type_name, asked, "may become");
	return {{static_cast<std::uint64_t>(asked.capacity), asked.rate, asked.seed, sizing.hashes}, sizing.blocks};
}

void warn_if_overfull(const Filter &filter)
{
	const bloom::Fill fill = bloom::measure_whole(filter);
	const double rate = fill.expected_rate();
	if (bloom::Fill::is_overfull(rate, filter.parameters().rate))
		warn_of_rate(Filter::type_name, rate, asked_for(filter.parameters()), rounded(fill.items()), fill.tells_items());
}

extern "C" {

PG_FUNCTION_INFO_V1(counting_bloom_info);
PG_FUNCTION_INFO_V1(counting_bloom_sizing);

Datum counting_bloom_info(PG_FUNCTION_ARGS)
{
	const Filter filter = FilterArgument(fcinfo, 0).filter;
	const bool without_parameters = filter.is_parameterless();
	const Parameters &parameters = filter.parameters();
	const bloom::Fill fill = without_parameters ? bloom::Fill(0, bloom::small_block_bits_log2) : bloom::measure_whole(filter);
	const double rate = without_parameters ? 0 : fill.expected_rate();
	std::uint64_t stuck_counters = 0;
	require_sound(filter.count_stuck(stuck_counters));
	Datum values[] = {
		Int64GetDatum(static_cast<int64>(parameters.capacity)),
		Float8GetDatum(parameters.rate),
		Float8GetDatum(rate),
		Int64GetDatum(without_parameters ? 0 : rounded(fill.items())),
		Int64GetDatum(static_cast<int64>(without_parameters ? 0 : filter.counters())),
		Int64GetDatum(static_cast<int64>(fill.bits_set())),
		Int64GetDatum(static_cast<int64>(stuck_counters)),
		Float8GetDatum(without_parameters ? 0 : static_cast<double>(fill.bits_set()) / static_cast<double>(filter.counters())),
		Int32GetDatum(parameters.hashes),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + filter.image().size())),
		BoolGetDatum(bloom::Fill::is_saturated(rate, parameters.rate)),
		CStringGetTextDatum(kind_name(filter.kind())),
		Int64GetDatum(filter.seed()),
	};
	bool nulls[std::size(values)];
	std::fill(std::begin(nulls), std::end(nulls), without_parameters);
	nulls[3] = nulls[6] = nulls[9] = false;  // items, counters_stuck, bytes
	nulls[11] = filter.kind().is_none();
	return row_result(fcinfo, values, nulls);
}

// counting_bloom_sizing(capacity, false_positive_rate): what a filter of so many values
// will take.
Datum counting_bloom_sizing(PG_FUNCTION_ARGS)
{
	const std::int64_t capacity = PG_GETARG_INT64(0);
	const Geometry geometry = checked_geometry({capacity, PG_GETARG_FLOAT8(1), 0});
	const double bytes = expected_size(geometry.parameters, geometry.blocks);
	Datum values[] = {
		Int64GetDatum(static_cast<int64>(geometry.blocks << geometry.parameters.block_bits_log2())),
		Int64GetDatum(VARHDRSZ + rounded(bytes)),
		Int32GetDatum(geometry.parameters.hashes),
		Float8GetDatum(8 * bytes / static_cast<double>(capacity)),
	};
	bool nulls[4] = {};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::counting_bloom
