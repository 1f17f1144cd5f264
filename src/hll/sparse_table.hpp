// The working form of a sparse HyperLogLog: a hash table of entries, open
// addressing with linear probing, in little-endian words:
//
//   word 0    number of entries
//   words 1.. slots, 0 where free
//
// An entry's home slot is its index, multiplied by 2^32 / golden ratio modulo 2^32
// and then scaled to the number of slots: entries at rest come by ascending index,
// perhaps as neighbours, and spread all the same. (Without the multiplication,
// 32,768 neighbours took 0.8 s to copy, not 0.5 ms, and unions of random ones 1.25
// times as long; only sorting the entries, once, is quicker.) Whoever chooses
// values can still crowd one place; the limit on entries bounds what that costs.
#pragma once

#include <algorithm>

#include "common/bytes.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

enum class Change { none, done, no_room };

class SparseTable {
public:
	static constexpr std::size_t count_size = 4;

	explicit SparseTable(MutableBytes body) : body_(body) {}

	std::uint32_t count() const { return load_le<std::uint32_t>(body_.data()); }
	std::uint32_t slots() const { return static_cast<std::uint32_t>(body_.size() / sizeof(Entry)) - 1; }

	// At 4/5 a look-up probes 13 slots, one cache line, on the average at worst;
	// and 13 slots, which fill 64 bytes with the header, hold 10 entries.
	static constexpr std::uint32_t capacity(std::uint32_t slots) { return static_cast<std::uint32_t>(slots * std::uint64_t{4} / 5); }

	// Adds an entry, or raises the rank of the one with its index. no_room: it
	// holds `limit` entries or its capacity already, and this would be another.
	Change insert(Entry entry, std::uint32_t limit)
	{
		const std::uint32_t slot_count = slots();
		std::uint32_t slot = home(entry >> rank_bits, slot_count);
		for (std::uint32_t probes = 0; probes < slot_count; ++probes) {
			const Entry found = get(slot);
			if (found == 0)
				return count() < std::min(limit, capacity(slot_count)) ? occupy(slot, entry) : Change::no_room;
			if ((found ^ entry) <= rank_mask)
				return entry > found ? replace(slot, entry) : Change::none;
			if (++slot == slot_count)
				slot = 0;
		}
		return Change::no_room;
	}

	static constexpr std::uint32_t home(std::uint32_t index, std::uint32_t slots)
	{
		return static_cast<std::uint32_t>(std::uint64_t{index * 0x9E3779B1u} * slots >> 32);
	}

	Entry get(std::uint32_t slot) const { return load_le<Entry>(at(slot)); }

private:
	std::uint8_t *at(std::uint32_t slot) const { return body_.data() + count_size + slot * sizeof(Entry); }

	Change replace(std::uint32_t slot, Entry entry)
	{
		store_le(at(slot), entry);
		return Change::done;
	}

	Change occupy(std::uint32_t slot, Entry entry)
	{
		store_le(body_.data(), count() + 1);
		return replace(slot, entry);
	}

	MutableBytes body_;
};

}  // namespace bloomsketch::hll
