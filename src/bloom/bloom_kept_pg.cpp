#include "bloom/bloom_kept_pg.hpp"

extern "C" {
#include "utils/snapmgr.h"
}

namespace bloomsketch::bloom {
namespace {

// Which stored value under which snapshot. A toast id alone names a value only
// while the row that holds it may not be vacuumed away: the same id under the
// same snapshot of the same transaction is the same value, for what that snapshot
// sees can't be gone.
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

struct Kept {
	StoredIdentity identity;
	std::uint32_t lookups;
	varlena *whole;
};

// One table for all calls in a transaction: a query over a hundred partitions has
// a hundred call sites. A filter's place follows from its toast id; the one that
// was there gives way.
constexpr std::size_t places = 64;
Kept kept[places];
std::size_t kept_bytes;
MemoryContext memory;  // where they lie, while there are any
bool is_reading;       // still set after an error: what was read then is lost in `memory`

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

void forget_all(void *)
{
	std::memset(static_cast<void *>(kept), 0, sizeof(kept));
	kept_bytes = 0;
	memory = nullptr;
	is_reading = false;
}

// Nothing outlives the transaction, whose snapshots vouch for what is kept.
void require_memory()
{
	if (memory != nullptr && is_reading)
		MemoryContextDelete(memory);
	if (memory != nullptr)
		return;
	memory = AllocSetContextCreate(TopTransactionContext, "bloom filters", ALLOCSET_SMALL_SIZES);
	auto *callback = static_cast<MemoryContextCallback *>(MemoryContextAllocZero(memory, sizeof(MemoryContextCallback)));
	callback->func = forget_all;
	MemoryContextRegisterResetCallback(memory, callback);
}

void forget(Kept &filter)
{
	filter.lookups = 0;
	if (filter.whole == nullptr)
		return;
	kept_bytes -= VARSIZE(filter.whole);
	pfree(filter.whole);
	filter.whole = nullptr;
}

// At most as much as a hash table may take, or the one filter that is in use.
void make_room(std::size_t size)
{
	if (kept_bytes + size > get_hash_memory_limit())
		for (Kept &filter : kept)
			forget(filter);
}

void read_whole(Kept &filter, const varlena *stored)
{
	require_memory();
	make_room(toast_raw_datum_size(PointerGetDatum(stored)));
	is_reading = true;
	MemoryContext before = MemoryContextSwitchTo(memory);
	filter.whole = detoast_attr(const_cast<varlena *>(stored));
	MemoryContextSwitchTo(before);
	is_reading = false;
	kept_bytes += VARSIZE(filter.whole);
}

}  // namespace

const varlena *kept_whole(Datum stored)
{
	const auto *value = reinterpret_cast<const varlena *>(DatumGetPointer(stored));
	StoredIdentity identity;
	if (!identify(value, identity))
		return nullptr;
	Kept &filter = kept[(identity.pointer.va_valueid + identity.pointer.va_toastrelid) % places];
	if (!(filter.identity == identity)) {
		forget(filter);
		filter.identity = identity;
	}
	if (filter.whole == nullptr && ++filter.lookups >= first_lookups + toast_raw_datum_size(stored) / bytes_per_lookup) {
		read_whole(filter, value);
		filter.identity = identity;
	}
	return filter.whole;
}

}  // namespace bloomsketch::bloom
