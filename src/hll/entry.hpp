// From a 64-bit hash to a HyperLogLog register, directly and through the
// sparse form's entries.
//
// Dense, precision p, m = 2^p registers: the top p bits of the hash select the
// register, and the rank is the position of the first 1 among the other 64 - p
// bits, 65 - p when there is none (Flajolet et al. 2007, section 2).
//
// Sparse: an entry keeps the top 26 bits of the hash, its index, and of the
// rest only what registers need (Heule, Nunkesser, Hall 2013, section 5.3):
//
//   bits 6..31  index
//   bits 0..5   0 if the first 1 behind the register's p bits lies within the
//               index; else its position among the 38 bits behind the index,
//               1..39
//
// For p = 4 and the hash 0101 0000...0000 0001...: with a 1 among the index's
// bits 4..25 the entry ends in 000000; with none, and the 38 bits behind the
// index reading 0001..., it ends in 000100, and the rank is 22 + 4.
#pragma once

#include <bit>
#include <cstdint>

#include "common/hash.hpp"

namespace bloomsketch::hll {

inline constexpr int min_precision = 4;
inline constexpr int max_precision = 18;
inline constexpr int default_precision = 14;

// 26 bits of index and 6 of rank fill 32 bits, and linear counting over 2^26
// cells errs 0.009 % (one sigma, far below saturation).
inline constexpr int index_bits = 26;
inline constexpr int rank_bits = 6;
inline constexpr std::uint32_t rank_mask = (1u << rank_bits) - 1;
inline constexpr std::uint32_t max_entry_rank = 64 - index_bits + 1;

using Entry = std::uint32_t;  // never 0: index 0 always carries a rank

struct Register {
	std::uint32_t index;
	std::uint8_t rank;
};

constexpr std::uint32_t register_count(int precision) { return 1u << precision; }
constexpr std::uint8_t max_rank(int precision) { return static_cast<std::uint8_t>(65 - precision); }

// The 1 shifted in behind the hash's last bit ends the search for the first 1.
constexpr Register register_of(Hash64 hash, int precision)
{
	const std::uint64_t rest = hash << precision | std::uint64_t{1} << (precision - 1);
	return {static_cast<std::uint32_t>(hash >> (64 - precision)),
	        static_cast<std::uint8_t>(std::countl_zero(rest) + 1)};
}

// The index's bits behind the register's p, where they are in the entry.
constexpr std::uint32_t index_rest(Entry entry, int precision)
{
	return entry & ~rank_mask & UINT32_MAX >> precision;
}

constexpr Entry entry_of(Hash64 hash, int precision)
{
	const Entry index = static_cast<Entry>(hash >> (64 - index_bits)) << rank_bits;
	if (index_rest(index, precision) != 0)
		return index;
	const std::uint64_t rest = hash << index_bits | std::uint64_t{1} << (index_bits - 1);
	return index | static_cast<Entry>(std::countl_zero(rest) + 1);
}

constexpr Register register_of(Entry entry, int precision)
{
	const std::uint32_t rest = index_rest(entry, precision);
	const int rank = rest != 0 ? std::countl_zero(rest) - precision + 1
	                           : index_bits - precision + static_cast<int>(entry & rank_mask);
	return {entry >> (32 - precision), static_cast<std::uint8_t>(rank)};
}

// The entry that the same hash has at a lower (or the same) precision.
constexpr Entry reduce_entry(Entry entry, int precision)
{
	return index_rest(entry, precision) != 0 ? entry & ~rank_mask : entry;
}

constexpr bool is_valid(Entry entry, int precision)
{
	const std::uint32_t rank = entry & rank_mask;
	return index_rest(entry, precision) != 0 ? rank == 0 : rank >= 1 && rank <= max_entry_rank;
}

// How many entries a sketch holds at most before its registers take over. At
// m/8 the working table of entries is as large as m byte registers. Stored, the
// entries are larger than registers would be (4,239 bytes and 2,600 at p = 14), and
// a hundred times as exact. It grows with p, so reducing a dense sketch always
// gives a dense one.
constexpr std::uint32_t entry_limit(int precision) { return register_count(precision) / 8; }

}  // namespace bloomsketch::hll
