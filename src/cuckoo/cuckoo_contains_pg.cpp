// cuckoo_contains and cuckoo_count: is a value in a filter, and how often at most?
// Stored filters are large and lie out of line, and one look-up needs two buckets of
// them: it reads head and buckets by slices, until common/kept_pg.hpp has the filter
// whole.
#include "cuckoo/cuckoo_pg.hpp"
#include "common/kept_pg.hpp"

namespace bloomsketch::cuckoo {
namespace {

// How much of the answer is wanted: any copy will do, or all are counted.
enum class Asking { any, all };

int count(const varlena *value, const ValueSource &source, Datum looked_up)
{
	const Filter filter = open_or_raise<Filter>(value);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	return filter.is_parameterless() ? 0 : filter.count(hash_value(source, looked_up, filter.seed()));
}

int count_in_slice(Datum stored, const Head &head, Entry entry)
{
	const Bytes bucket = stored_slice(Filter::type_name, stored, head.bucket_at(entry.bucket), head.bucket_bytes(entry.bucket));
	return count_in_bucket(bucket, head.bucket_bit(entry.bucket), entry.fingerprint, head.geometry.bits);
}

int count_by_slices(Datum stored, const ValueSource &source, Datum value, Asking asking)
{
	const std::size_t size = stored_size(stored);
	const Bytes front = stored_slice(Filter::type_name, stored, 0, std::min(largest_head, size));
	Head head;
	if (const Malformed reason = head.read(front, size); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	require_kind(Filter::type_name, head.header.kind, source.kind);
	if (head.is_parameterless())
		return 0;
	const Entry entry = head.geometry.entry(hash_value(source, value, head.header.seed));
	const int count = count_in_slice(stored, head, entry);
	if (count != 0 && asking == Asking::any)
		return count;
	return count + count_in_slice(stored, head, head.geometry.other(entry));
}

// Slices of a head and of two buckets take as long as reading this much.
constexpr std::size_t bytes_per_lookup = 49152;

int count_in_argument(FunctionCallInfo fcinfo, Asking asking)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Datum filter = PG_GETARG_DATUM(0);
	if (!VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(filter)))
		return count(image_argument(fcinfo, 0), source, PG_GETARG_DATUM(1));
	const varlena *whole = kept_after_lookups(filter, bytes_per_lookup);
	return whole != nullptr ? count(whole, source, PG_GETARG_DATUM(1))
	                        : count_by_slices(filter, source, PG_GETARG_DATUM(1), asking);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cuckoo_contains);
PG_FUNCTION_INFO_V1(cuckoo_count);

Datum cuckoo_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(count_in_argument(fcinfo, Asking::any) != 0);
}

Datum cuckoo_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(count_in_argument(fcinfo, Asking::all));
}

}  // extern "C"
}  // namespace bloomsketch::cuckoo
