// One block of a blocked Bloom filter (Putze, Sanders, Singler 2007): a value's
// bits all lie in one block, so that a look-up touches one cache line, or one
// slice of a stored filter.
//
// The block of a hash h among n is floor(h * n / 2^64). The k bits in it come
// from remixing: h is multiplied by an odd constant g again and again, and the
// top bits of h g, h g^2, .. h g^k modulo 2^64 are the positions. (Double hashing within 512 bits
// would cost 6 % more false positives.) Position p is bit p % 8 of byte p / 8.
#pragma once

#include <array>
#include <cstdint>

#include "common/hash.hpp"

namespace bloomsketch::bloom {

// 512 bits are a cache line; 4,096 keep the size near the classic filter's where
// rates are low, because fewer blocks get far more than their share of values.
inline constexpr int small_block_bits_log2 = 9;
inline constexpr int large_block_bits_log2 = 12;

inline constexpr int max_hashes = 64;

// Powers of 2^64 divided by the golden ratio, made odd. A table, so that a
// value's positions do not wait for each other.
inline constexpr auto multipliers = [] {
	std::array<std::uint64_t, max_hashes> powers{};
	std::uint64_t power = 1;
	for (std::uint64_t &each : powers)
		each = power *= 0x9E3779B97F4A7C15;
	return powers;
}();

constexpr std::uint64_t block_of(Hash64 hash, std::uint64_t blocks)
{
	return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * blocks >> 64);
}

// Calls use(word, mask) for each of a hash's `hashes` bits until it returns
// false: bit p % 8 of byte p / 8 is bit p % 64 of little-endian word p / 64.
template <int block_bits_log2, class Use>
inline bool each_bit_of(Hash64 hash, int hashes, Use use)
{
	for (int i = 0; i < hashes; ++i) {
		const std::uint64_t position = hash * multipliers[static_cast<std::size_t>(i)] >> (64 - block_bits_log2);
		if (!use(position / 64, std::uint64_t{1} << position % 64))
			return false;
	}
	return true;
}

// With the block's size known to the compiler a bit takes half the instructions.
template <class Use>
inline bool each_bit(Hash64 hash, int hashes, int block_bits_log2, Use use)
{
	return block_bits_log2 == small_block_bits_log2 ? each_bit_of<small_block_bits_log2>(hash, hashes, use)
	                                                : each_bit_of<large_block_bits_log2>(hash, hashes, use);
}

// Sets a value's bits.
inline void add_to_block(std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	each_bit(hash, hashes, block_bits_log2, [&](std::size_t word, std::uint64_t mask) {
		std::uint8_t *at = block + 8 * word;
		store_le(at, load_le<std::uint64_t>(at) | mask);
		return true;
	});
}

inline bool block_contains(const std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	return each_bit(hash, hashes, block_bits_log2, [&](std::size_t word, std::uint64_t mask) {
		return (load_le<std::uint64_t>(block + 8 * word) & mask) != 0;
	});
}

}  // namespace bloomsketch::bloom
