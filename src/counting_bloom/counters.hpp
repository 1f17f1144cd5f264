// The counters of one block while working: one of 4 bits for each bit of a Bloom
// filter's block, which is set where the counter is not 0. Counter p is the low half
// of byte p / 2 for even p, and the high half for odd p.
//
// Of a value's k positions in its block (bloom/block.hpp) two may be equal. That
// counter counts the value once: so each copy of a value adds 1 to each of its
// counters, they are all at least the number of its copies, and fifteen copies of a
// value reach what no other number of positions would.
//
// A counter that has reached 15 is stuck: what it counts is not known any more, so
// that it is never lowered, and never lets a value be denied that is there.
#pragma once

#include <algorithm>
#include <array>

#include "bloom/block.hpp"
#include "counting_bloom/head.hpp"

namespace bloomsketch::counting_bloom {

inline constexpr unsigned stuck = 15;

// Room for the counters of a block of either size.
using BlockCounters = std::array<std::uint8_t, (std::size_t{1} << bloom::large_block_bits_log2) / 2>;

inline unsigned counter_at(const std::uint8_t *counters, std::uint32_t position)
{
	return counters[position / 2] >> position % 2 * 4 & 15u;
}

namespace detail {

template <int block_bits_log2, class Use>
inline void each_position_of(Hash64 hash, int hashes, Use use)
{
	std::array<std::uint64_t, (std::size_t{1} << block_bits_log2) / 64> met{};
	for (std::size_t i = 0; i < static_cast<std::size_t>(hashes); ++i) {
		const auto position = static_cast<std::uint32_t>(hash * bloom::multipliers[i] >> (64 - block_bits_log2));
		const std::uint64_t mask = std::uint64_t{1} << position % 64;
		if ((met[position / 64] & mask) != 0)
			continue;
		met[position / 64] |= mask;
		use(position);
	}
}

}  // namespace detail

// Calls use(position) for each position of a hash in its block, once where several
// are equal.
template <class Use>
inline void each_position(Hash64 hash, int hashes, int block_bits_log2, Use use)
{
	if (block_bits_log2 == bloom::small_block_bits_log2)
		detail::each_position_of<bloom::small_block_bits_log2>(hash, hashes, use);
	else
		detail::each_position_of<bloom::large_block_bits_log2>(hash, hashes, use);
}

// Asks memory for a value's counters.
inline void prefetch_counters(const std::uint8_t *counters, Hash64 hash, int hashes, int block_bits_log2)
{
	for (std::size_t i = 0; i < static_cast<std::size_t>(hashes); ++i)
		__builtin_prefetch(counters + (hash * bloom::multipliers[i] >> (65 - block_bits_log2)), 1);
}

// Adds a copy of a value to its block.
inline void add_to_counters(std::uint8_t *counters, Hash64 hash, int hashes, int block_bits_log2)
{
	each_position(hash, hashes, block_bits_log2, [&](std::uint32_t position) {
		const unsigned is_free = counter_at(counters, position) != stuck;
		counters[position / 2] = static_cast<std::uint8_t>(counters[position / 2] + (is_free << position % 2 * 4));
	});
}

// The least counter of a value: no fewer than its copies, as long as it is not stuck.
inline unsigned least_counter(const std::uint8_t *counters, Hash64 hash, int hashes, int block_bits_log2)
{
	unsigned least = stuck;
	each_position(hash, hashes, block_bits_log2,
	              [&](std::uint32_t position) { least = std::min(least, counter_at(counters, position)); });
	return least;
}

// Takes a copy of a value out of its block, whose counters are all above 0.
inline void remove_from_counters(std::uint8_t *counters, Hash64 hash, int hashes, int block_bits_log2)
{
	each_position(hash, hashes, block_bits_log2, [&](std::uint32_t position) {
		const unsigned is_free = counter_at(counters, position) != stuck;
		counters[position / 2] = static_cast<std::uint8_t>(counters[position / 2] - (is_free << position % 2 * 4));
	});
}

// Adds the counters in `size` bytes to others.
inline void merge_counters(std::uint8_t *__restrict into, const std::uint8_t *__restrict from, std::size_t size)
{
	for (std::size_t i = 0; i < size; ++i) {
		const unsigned low = std::min((into[i] & 15u) + (from[i] & 15u), stuck);
		const unsigned high = std::min(0u + (into[i] >> 4) + (from[i] >> 4), stuck);
		into[i] = static_cast<std::uint8_t>(high << 4 | low);
	}
}

// The sum of the counters in `size` bytes.
inline std::uint32_t sum_of_counters(const std::uint8_t *counters, std::size_t size)
{
	std::uint32_t sum = 0;
	for (std::size_t i = 0; i < size; ++i)
		sum += (counters[i] & 15u) + (counters[i] >> 4);
	return sum;
}

inline std::uint32_t stuck_counters(const std::uint8_t *counters, std::size_t size)
{
	std::uint32_t count = 0;
	for (std::size_t i = 0; i < size; ++i)
		count += static_cast<std::uint32_t>((counters[i] & 15u) == stuck) + static_cast<std::uint32_t>(counters[i] >> 4 == stuck);
	return count;
}

// Writes the bits of a block, from its counters: 16 counters at a time, each made its
// lowest bit, and those moved together.
inline void write_bits(const std::uint8_t *counters, std::size_t block_bytes, std::uint8_t *bits)
{
	for (std::size_t at = 0; at < block_bytes; at += 2) {
		std::uint64_t word = load_le<std::uint64_t>(counters + working_factor * at);
		word |= word >> 2;
		word = (word | word >> 1) & 0x1111111111111111;
		word = (word | word >> 3) & 0x0303030303030303;
		word = (word | word >> 6) & 0x000F000F000F000F;
		word = (word | word >> 12) & 0x000000FF000000FF;
		store_le(bits + at, static_cast<std::uint16_t>(word | word >> 24));
	}
}

}  // namespace bloomsketch::counting_bloom
