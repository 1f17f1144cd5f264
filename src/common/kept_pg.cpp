// Stored values that a transaction has read whole, and how it knows them again.
#include "common/kept_pg.hpp"

namespace bloomsketch {
namespace {

// Which stored value, and what may have happened since. A toast id names a value
// only until that is deleted, vacuumed away, and the id given out again. Within a
// transaction and under one snapshot, what others delete is held back by the
// snapshot's xmin, whichever snapshot the pointer came from: had another
// transaction ended in between, the snapshots would differ. What the transaction
// itself wrote and took back, by a rolled back block or TRUNCATE, goes at once: so
// nothing is known again after a command of its own that wrote.
struct StoredIdentity {
	varatt_external pointer;
	TransactionId xmin;
	TransactionId xmax;
	CommandId command;  // the transaction's current one
	Hash64 running;     // of the transactions in progress

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
// a hundred call sites. A value's place follows from its toast id, so that a query
// that takes turns between some dozens of values finds each at once; where two
// share a place, the one that was there gives way.
constexpr std::size_t places = 64;
Kept kept[places];
std::size_t kept_bytes;
MemoryContext memory;  // the table's life: until it is deleted with the transaction
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
	identity.command = GetCurrentCommandId(false);
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

// Nothing outlives the transaction, neither values nor how often they were read.
void begin_transaction()
{
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
	if (is_reading)
		MemoryContextDelete(memory);
	begin_transaction();
	Kept &value = kept[(identity.pointer.va_valueid + identity.pointer.va_toastrelid) % places];
	if (!(value.identity == identity)) {
		forget(value);
		value.identity = identity;
	}
	if (value.whole == nullptr && ++value.readings >= readings)
		read_whole(value, pointer);
	return value.whole;
}

const varlena *kept_after_lookups(Datum stored, std::size_t bytes_per_lookup)
{
	constexpr std::size_t first_lookups = 4;
	return kept_whole(stored, first_lookups + toast_raw_datum_size(stored) / bytes_per_lookup);
}

const varlena *kept_argument(FunctionCallInfo fcinfo, int argument)
{
	const Datum given = PG_GETARG_DATUM(argument);
	const bool is_stored_apart = VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(given));
	const varlena *kept = is_stored_apart ? kept_whole(given, 1) : nullptr;
	return kept != nullptr ? kept : detoast_packed(given);
}

}  // namespace bloomsketch
