// bloom_contains: is a value in a filter? Stored filters are large and lie out
// of line, and one look-up needs one block of them: it reads head and block by
// slices. A query that looks up many values in one filter would pay for each
// slice what a btree probe costs, so after a while the filter is read whole and
// kept, for as long as it is certain to be the same.
#include "bloom/bloom_pg.hpp"

extern "C" {
#include "utils/snapmgr.h"
}

namespace bloomsketch::bloom {
namespace {

// Which stored value under which snapshot. A toast id alone names a value only
// while the row that holds it may not be vacuumed away: the same id under the
// same snapshot is the same value, for what that snapshot sees can't be gone.
struct StoredIdentity {
	varatt_external pointer;
	TransactionId xmin;
	TransactionId xmax;
	CommandId command;
	Hash64 running;  // of the transactions in progress

	bool operator==(const StoredIdentity &other) const
	{
		return std::memcmp(&pointer, &other.pointer, sizeof(pointer)) == 0 && xmin == other.xmin &&
		       xmax == other.xmax && command == other.command && running == other.running;
	}
};

// Kept in fn_extra behind the value's source; begins zeroed.
struct Lookup : CachedSource {
	StoredIdentity identity;
	std::uint32_t count;  // look-ups in this filter so far
	varlena *whole;       // the filter, once read, in the function's memory
};

// A slice of a head and one of a block take as long as reading this much.
constexpr std::size_t bytes_per_lookup = 32768;
constexpr std::uint32_t first_lookups = 4;

bool identify(const varlena *stored, StoredIdentity &identity)
{
	if (!ActiveSnapshotSet())
		return false;
	Snapshot snapshot = GetActiveSnapshot();
	if (snapshot->snapshot_type != SNAPSHOT_MVCC)
		return false;
	VARATT_EXTERNAL_GET_POINTER(identity.pointer, stored);
	identity.xmin = snapshot->xmin;
	identity.xmax = snapshot->xmax;
	identity.command = snapshot->curcid;
	identity.running = hash_bytes(snapshot->xip, sizeof(TransactionId) * snapshot->xcnt,
	                              hash_bytes(snapshot->subxip, sizeof(TransactionId) * static_cast<std::size_t>(snapshot->subxcnt), 0));
	return true;
}

const varlena *slice(Datum stored, std::size_t offset, std::size_t length)
{
	return detoast_attr_slice(reinterpret_cast<varlena *>(DatumGetPointer(stored)), static_cast<int32>(offset),
	                          static_cast<int32>(length));
}

bool contains(const varlena *value, const ValueSource &source, Datum looked_up)
{
	const Filter filter = open_or_raise<Filter>(at_rest(value));
	require_kind(filter, source.kind);
	return !filter.is_parameterless() && filter.contains(hash_value(source, looked_up, filter.seed()));
}

bool contains_by_slices(Datum stored, const ValueSource &source, Datum value)
{
	const std::size_t size = toast_raw_datum_size(stored) - VARHDRSZ;
	const varlena *head = slice(stored, 0, std::min(largest_head, size));
	Filter filter;
	if (const Malformed reason = Filter::open_head(image_of(head), size, filter); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	if (filter.is_building())
		return contains(detoast_packed(stored), source, value);
	require_kind(filter, source.kind);
	if (filter.is_parameterless())
		return false;
	const Hash64 hash = hash_value(source, value, filter.seed());
	const std::size_t length = filter.parameters().block_bytes();
	const varlena *block = slice(stored, filter.block_offset(hash), length);
	if (VARSIZE_ANY_EXHDR(block) != length)
		raise_malformed(Filter::type_name, Malformed::too_short);
	return filter.block_contains(image_of(block).data(), hash);
}

void forget(Lookup &lookup)
{
	if (lookup.whole != nullptr)
		pfree(lookup.whole);
	lookup.whole = nullptr;
	lookup.count = 0;
}

// Reads the filter whole once it was looked up often enough to pay for that.
void read_when_it_pays(FunctionCallInfo fcinfo, Lookup &lookup, Datum stored)
{
	if (lookup.whole != nullptr || ++lookup.count < first_lookups + toast_raw_datum_size(stored) / bytes_per_lookup)
		return;
	MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	lookup.whole = detoast_attr(reinterpret_cast<varlena *>(DatumGetPointer(stored)));
	MemoryContextSwitchTo(before);
}

bool contains_stored(FunctionCallInfo fcinfo, Datum stored, const ValueSource &source)
{
	auto &lookup = *static_cast<Lookup *>(fcinfo->flinfo->fn_extra);
	StoredIdentity identity;
	if (!identify(reinterpret_cast<varlena *>(DatumGetPointer(stored)), identity))
		return contains_by_slices(stored, source, PG_GETARG_DATUM(1));
	if (!(identity == lookup.identity)) {
		forget(lookup);
		lookup.identity = identity;
	}
	read_when_it_pays(fcinfo, lookup, stored);
	return lookup.whole != nullptr ? contains(lookup.whole, source, PG_GETARG_DATUM(1))
	                               : contains_by_slices(stored, source, PG_GETARG_DATUM(1));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_contains);

Datum bloom_contains(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument<Lookup>(fcinfo, 1);
	const Datum filter = PG_GETARG_DATUM(0);
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(filter)))
		PG_RETURN_BOOL(contains_stored(fcinfo, filter, source));
	PG_RETURN_BOOL(contains(image_argument(fcinfo, 0), source, PG_GETARG_DATUM(1)));
}

}  // extern "C"
}  // namespace bloomsketch::bloom
