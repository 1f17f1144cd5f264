// The working form of a Count-Min sketch over few distinct values: a hash table of
// hashes and their weights, open addressing with linear probing, little-endian:
//
//   count   4 bytes: entries
//   slots   16 bytes each: hash, weight; a weight of 0 is a free slot
//
// What an entry adds to the counters does not depend on where it lies, or on
// another one with the same hash, so tables from outside need no particular
// order.
#pragma once

#include "common/bytes.hpp"
#include "common/hash.hpp"

namespace bloomsketch::cms {

// At 4/5 a look-up probes 13 slots on the average at worst; see hll's.
constexpr std::uint32_t list_capacity(std::uint32_t slots)
{
	return static_cast<std::uint32_t>(slots * std::uint64_t{4} / 5);
}

// A table to read.
class List {
public:
	static constexpr std::size_t count_size = 4;
	static constexpr std::size_t slot_size = 16;

	List() = default;
	explicit List(Bytes body) : body_(body) {}

	// Whether a body of so many bytes has slots.
	static constexpr bool has_length(std::size_t size) { return size >= offset(1) && (size - count_size) % slot_size == 0; }

	std::uint32_t count() const { return load_le<std::uint32_t>(body_.data()); }
	std::uint32_t slots() const { return static_cast<std::uint32_t>((body_.size() - count_size) / slot_size); }
	Hash64 hash(std::uint32_t slot) const { return load_le<Hash64>(body_.data() + offset(slot)); }
	std::uint64_t weight(std::uint32_t slot) const { return load_le<std::uint64_t>(body_.data() + offset(slot) + 8); }

	// Calls use(hash, weight) for each entry.
	template <class Use>
	void each(Use use) const
	{
		for (std::uint32_t slot = 0; slot < slots(); ++slot)
			if (weight(slot) != 0)
				use(hash(slot), weight(slot));
	}

	// The slot with a hash, or the free one for it; slots() if there is neither.
	std::uint32_t find(Hash64 wanted) const
	{
		const std::uint32_t slot_count = slots();
		auto slot = static_cast<std::uint32_t>(static_cast<unsigned __int128>(wanted) * slot_count >> 64);
		for (std::uint32_t probes = 0; probes < slot_count; ++probes) {
			if (weight(slot) == 0 || hash(slot) == wanted)
				return slot;
			if (++slot == slot_count)
				slot = 0;
		}
		return slot_count;
	}

	bool contains(Hash64 wanted) const
	{
		const std::uint32_t slot = find(wanted);
		return slot != slots() && weight(slot) != 0;
	}

	static constexpr std::size_t offset(std::uint32_t slot) { return count_size + slot * slot_size; }

private:
	Bytes body_;
};

// Adds to the entry with a hash, or makes one. False if there is no room for it.
inline bool add_to_list(MutableBytes body, Hash64 hash, std::uint64_t weight)
{
	const List list(body);
	const std::uint32_t slot = list.find(hash);
	if (slot == list.slots())
		return false;
	std::uint8_t *to = body.data() + List::offset(slot);
	const std::uint64_t before = list.weight(slot);
	if (before == 0) {
		if (list.count() >= list_capacity(list.slots()))
			return false;
		store_le(body.data(), list.count() + 1);
		store_le(to, hash);
	}
	store_le(to + 8, before + weight);
	return true;
}

}  // namespace bloomsketch::cms
