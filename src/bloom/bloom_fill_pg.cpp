// What the bits of a filter say about it, and the warning when there are too many.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

namespace {

// What there is to tell about a filter at rest.
struct Told {
	explicit Told(const varlena *value) : is_in_layers(sizes_itself(image_of(value)))
	{
		if (is_in_layers)
			read(open_or_raise<Layered>(value));
		else
			read(open_or_raise<Filter>(value));
	}

	void read(const Layered &filter)
	{
		const LayersFill fill(filter);
		has_parameters = true;
		capacity = rounded(fill.capacity);
		target = filter.target();
		rate = fill.expected_rate;
		items = rounded(fill.items);
		tells_items = fill.tells_items;
		bits = fill.bits;
		bits_set = fill.bits_set;
		for (std::size_t i = 0; i < filter.layers(); ++i)
			hashes = std::max(hashes, filter.layer(i).hashes);
		layers = filter.layers();
		size = filter.image().size();
		kind = filter.kind();
		seed = filter.seed();
	}

	void read(const Filter &filter)
	{
		size = filter.size();
		kind = filter.kind();
		seed = filter.seed();
		if (filter.is_parameterless())
			return;
		const Fill fill = measure_whole(filter);
		has_parameters = true;
		capacity = static_cast<std::int64_t>(filter.parameters().capacity);
		target = filter.parameters().rate;
		rate = fill.expected_rate();
		items = rounded(fill.items());
		tells_items = fill.tells_items();
		bits = filter.bits();
		bits_set = fill.bits_set();
		hashes = filter.parameters().hashes;
		layers = 1;
	}

	bool is_in_layers;
	bool has_parameters = false;
	bool tells_items = true;
	std::int64_t capacity = 0;
	double target = 0;
	double rate = 0;
	std::int64_t items = 0;
	std::uint64_t bits = 0;
	std::uint64_t bits_set = 0;
	int hashes = 0;
	std::size_t layers = 0;
	std::size_t size = 0;
	ValueKind kind;
	std::int64_t seed = 0;
};

}  // namespace

void warn_if_overfull(const varlena *value)
{
	const Told filter(value);
	if (!Fill::is_overfull(filter.rate, filter.target))
		return;
	if (!filter.is_in_layers) {
		warn_of_rate("bloom filter", filter.rate, {filter.capacity, filter.target, filter.seed}, filter.items, filter.tells_items);
		return;
	}
	ereport(WARNING,
	        errmsg("bloom filter has a false positive rate of %.3g instead of %s", filter.rate, shortest(filter.target)),
	        errdetail("Its %zu layers were made for %lld distinct values together, and their rates add up.", filter.layers,
	                  static_cast<long long>(filter.capacity)),
	        errhint("Build all filters that are to be united with one capacity: "
	                "bloom_agg(value, capacity, false_positive_rate)."));
}

extern "C" {

PG_FUNCTION_INFO_V1(bloom_count);
PG_FUNCTION_INFO_V1(bloom_info);

Datum bloom_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(Told(at_rest(image_argument(fcinfo, 0))).items);
}

Datum bloom_info(PG_FUNCTION_ARGS)
{
	const Told filter(at_rest(image_argument(fcinfo, 0)));
	Datum values[] = {
		Int64GetDatum(filter.capacity),
		Float8GetDatum(filter.target),
		Float8GetDatum(filter.rate),
		Int64GetDatum(filter.items),
		Int64GetDatum(static_cast<int64>(filter.bits)),
		Int64GetDatum(static_cast<int64>(filter.bits_set)),
		Float8GetDatum(filter.has_parameters ? static_cast<double>(filter.bits_set) / static_cast<double>(filter.bits) : 0),
		Int32GetDatum(filter.hashes),
		Int32GetDatum(static_cast<int32>(filter.layers)),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + filter.size)),
		BoolGetDatum(filter.is_in_layers),
		BoolGetDatum(Fill::is_saturated(filter.rate, filter.target)),
		CStringGetTextDatum(kind_name(filter.kind)),
		Int64GetDatum(filter.seed),
	};
	bool nulls[std::size(values)];
	std::fill(std::begin(nulls), std::end(nulls), !filter.has_parameters);
	nulls[3] = nulls[9] = false;  // items, bytes
	nulls[12] = filter.kind.is_none();
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
