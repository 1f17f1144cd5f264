// How large a filter is, whether there can be one, and what one says of itself.
#include "cuckoo/cuckoo_pg.hpp"

namespace bloomsketch::cuckoo {

Geometry checked_geometry(const Asked &asked)
{
	if (asked.capacity < 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("capacity %lld is out of range", static_cast<long long>(asked.capacity)),
		        errhint("A cuckoo filter is made for at least 1 value."));
	if (!is_valid_rate(asked.rate))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("false positive rate %s is out of range", shortest(asked.rate)),
		        errhint("A cuckoo filter's false positive rate is at least %s and below 1, for example 0.01.",
		                shortest(smallest_rate)));
	const Geometry geometry = State::geometry_for(parameters_for(asked));
	if (geometry.half == 0)
		raise_too_large("cuckoo filter", asked, "is");
	return geometry;
}

void warn_if_overfull(const Filter &filter)
{
	const double rate = filter.expected_rate();
	if (rate <= allowed_excess * filter.parameters().rate)
		return;
	const auto items = static_cast<long long>(filter.items());
	ereport(WARNING,
	        errmsg("cuckoo filter has a false positive rate of %.3g instead of %s", rate, shortest(filter.parameters().rate)),
	        errdetail("It was made for %lld values and holds %lld.",
	                  static_cast<long long>(filter.parameters().capacity), items),
	        errhint("Rebuild it with a capacity of at least %lld.", items));
}

namespace {

std::int64_t bits_of(const Geometry &geometry)
{
	return static_cast<std::int64_t>(geometry.body_size()) * 8;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cuckoo_sizing);
PG_FUNCTION_INFO_V1(cuckoo_info);

// cuckoo_sizing(capacity, false_positive_rate): what a filter will take.
Datum cuckoo_sizing(PG_FUNCTION_ARGS)
{
	const Asked asked{PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), 0};
	const Geometry geometry = checked_geometry(asked);
	Datum values[] = {
		Int64GetDatum(bits_of(geometry)),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + State::image_size(geometry, asked.seed))),
		Int32GetDatum(geometry.bits),
		Float8GetDatum(static_cast<double>(bits_of(geometry)) / static_cast<double>(asked.capacity)),
	};
	bool nulls[std::size(values)] = {};
	return row_result(fcinfo, values, nulls);
}

// cuckoo_info(filter): all of it is in the head, so no more is read of a stored filter.
Datum cuckoo_info(PG_FUNCTION_ARGS)
{
	const Datum given = PG_GETARG_DATUM(0);
	const std::size_t size = stored_size(given);
	const Bytes front = stored_slice(Filter::type_name, given, 0, std::min(largest_head, size));
	Head head;
	if (const Malformed reason = head.read(front, size); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	const bool without_parameters = head.is_parameterless();
	const std::uint64_t items = without_parameters ? 0 : head.items(front.data());
	Datum values[] = {
		Int64GetDatum(static_cast<int64>(head.parameters.capacity)),
		Float8GetDatum(head.parameters.rate),
		Float8GetDatum(without_parameters ? 0 : expected_rate(head.geometry, items)),
		Int64GetDatum(static_cast<int64>(items)),
		Int64GetDatum(static_cast<int64>(head.geometry.buckets())),
		Int64GetDatum(bits_of(head.geometry)),
		Float8GetDatum(without_parameters ? 0 : load_of(head.geometry, items)),
		Int32GetDatum(head.geometry.bits),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + size)),
		CStringGetTextDatum(kind_name(head.header.kind)),
		Int64GetDatum(head.header.seed),
	};
	bool nulls[std::size(values)];
	std::fill(std::begin(nulls), std::end(nulls), without_parameters);
	nulls[3] = nulls[8] = false;  // items, bytes
	nulls[9] = head.header.kind.is_none();
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::cuckoo
