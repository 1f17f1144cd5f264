// What the bits of a filter say about it, and the warning when there are too many.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

Fill measure(const Filter &filter)
{
	Fill fill(filter.parameters().hashes, filter.parameters().block_bits_log2());
	const std::uint64_t step = chunk_bytes / filter.parameters().block_bytes();
	for (std::uint64_t first = 0; first < filter.blocks(); first += step) {
		CHECK_FOR_INTERRUPTS();
		filter.measure(first, std::min(first + step, filter.blocks()), fill);
	}
	return fill;
}

void warn_if_overfull(const Filter &filter)
{
	const Fill fill = measure(filter);
	const double rate = fill.expected_rate();
	if (!Fill::is_overfull(rate, filter.parameters().rate))
		return;
	const auto capacity = static_cast<long long>(filter.parameters().capacity);
	const auto items = static_cast<long long>(rounded(fill.items()));
	const bool is_counted = fill.tells_items();
	ereport(WARNING,
	        errmsg("bloom filter has a false positive rate of %.3g instead of %s", rate, shortest(filter.parameters().rate)),
	        is_counted
	            ? errdetail("It was made for %lld distinct values and holds about %lld.", capacity, items)
	            : errdetail("It was made for %lld distinct values and holds more than %lld.", capacity, items),
	        is_counted
	            ? errhint("Rebuild it with a capacity of at least %lld.", items)
	            : errhint("Rebuild it with the number of distinct values as its capacity; "
		                      "approx_count_distinct estimates that."));
}

extern "C" {

PG_FUNCTION_INFO_V1(bloom_count);
PG_FUNCTION_INFO_V1(bloom_info);

Datum bloom_count(PG_FUNCTION_ARGS)
{
	const Filter filter = open_or_raise<Filter>(at_rest(image_argument(fcinfo, 0)));
	PG_RETURN_INT64(filter.is_parameterless() ? 0 : rounded(measure(filter).items()));
}

Datum bloom_info(PG_FUNCTION_ARGS)
{
	const Filter filter = open_or_raise<Filter>(at_rest(image_argument(fcinfo, 0)));
	const bool without_parameters = filter.is_parameterless();
	const Parameters &parameters = filter.parameters();
	const Fill fill = without_parameters ? Fill(0, small_block_bits_log2) : measure(filter);
	const double rate = without_parameters ? 0 : fill.expected_rate();
	Datum values[] = {
		Int64GetDatum(static_cast<int64>(parameters.capacity)),
		Float8GetDatum(parameters.rate),
		Float8GetDatum(rate),
		Int64GetDatum(without_parameters ? 0 : rounded(fill.items())),
		Int64GetDatum(static_cast<int64>(without_parameters ? 0 : filter.bits())),
		Int64GetDatum(static_cast<int64>(fill.bits_set())),
		Float8GetDatum(without_parameters ? 0 : static_cast<double>(fill.bits_set()) / static_cast<double>(filter.bits())),
		Int32GetDatum(parameters.hashes),
		Int32GetDatum(without_parameters ? 0 : 1),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + filter.size())),
		BoolGetDatum(false),
		BoolGetDatum(Fill::is_saturated(rate, parameters.rate)),
		CStringGetTextDatum(kind_name(filter.kind())),
		Int64GetDatum(filter.seed()),
	};
	bool nulls[std::size(values)];
	std::fill(std::begin(nulls), std::end(nulls), without_parameters);
	nulls[3] = nulls[9] = false;  // items, bytes
	nulls[12] = filter.kind().is_none();
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
