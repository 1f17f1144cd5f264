#include "common/kept_pg.hpp"

extern "C" {
#include "utils/snapmgr.h"
}

namespace bloomsketch {
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
	std::size_t readings;
	varlena *whole;
};

// One table for all calls in a transaction: a query over a hundred partitions has
// a hundred call sites. A value's place follows from its toast id; the one that
// was there gives way.
constexpr std::size_t places = 64;
Kept kept[places];
std::size_t kept_bytes;
MemoryContext memory;  // where they lie, while there are any
bool is_reading;       // still set after an error: what was read then is lost in `memory`

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
	memory = AllocSetContextCreate(TopTransactionContext, "bloomsketch kept values", ALLOCSET_SMALL_SIZES);
	auto *callback = static_cast<MemoryContextCallback *>(MemoryContextAllocZero(memory, sizeof(MemoryContextCallback)));
	callback->func = forget_all;
	MemoryContextRegisterResetCallback(memory, callback);
}

void forget(Kept &value)
{
	value.readings = 0;
	if (value.whole == nullptr)
		return;
	kept_bytes -= VARSIZE(value.whole);
	pfree(value.whole);
	value.whole = nullptr;
}

// At most as much as a hash table may take, or the one value that is in use.
void make_room(std::size_t size)
{
	if (kept_bytes + size > get_hash_memory_limit())
		for (Kept &value : kept)
			forget(value);
}

void read_whole(Kept &value, const varlena *stored)
{
	require_memory();
	make_room(toast_raw_datum_size(PointerGetDatum(stored)));
	is_reading = true;
	MemoryContext before = MemoryContextSwitchTo(memory);
	value.whole = detoast_attr(const_cast<varlena *>(stored));
	MemoryContextSwitchTo(before);
	is_reading = false;
	kept_bytes += VARSIZE(value.whole);
}

}  // namespace

const varlena *kept_whole(Datum stored, std::size_t readings)
{
	const auto *pointer = reinterpret_cast<const varlena *>(DatumGetPointer(stored));
	StoredIdentity identity;
	if (!identify(pointer, identity))
		return nullptr;
	Kept &value = kept[(identity.pointer.va_valueid + identity.pointer.va_toastrelid) % places];
	if (!(value.identity == identity)) {
		forget(value);
		value.identity = identity;
	}
	if (value.whole == nullptr && ++value.readings >= readings) {
		read_whole(value, pointer);
		value.identity = identity;
	}
	return value.whole;
}

}  // namespace bloomsketch
