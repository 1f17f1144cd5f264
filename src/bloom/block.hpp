// One block of a blocked Bloom filter (Putze, Sanders, Singler 2007): a value's
// bits all lie in one block, so that a look-up touches one cache line, or one
// slice of a stored filter.
//
// The block of a hash h among n is floor(h * n / 2^64). The k bits in it come
// from remixing: h is multiplied by an odd constant again and again, and the
// top bits of each product are a position. (Double hashing within 512 bits
// would cost 6 % more false positives.) Position p is bit p % 8 of byte p / 8.
#pragma once

#include <bit>
#include <cstdint>

#include "common/hash.hpp"

namespace bloomsketch::bloom {

// 512 bits are a cache line; 4,096 keep the size near the classic filter's where
// rates are low, because fewer blocks get far more than their share of values.
inline constexpr int small_block_bits_log2 = 9;
inline constexpr int large_block_bits_log2 = 12;

// 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t remix = 0x9E3779B97F4A7C15;

constexpr std::uint64_t block_of(Hash64 hash, std::uint64_t blocks)
{
	return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * blocks >> 64);
}

// Calls use(byte, mask) for each of a hash's `hashes` bits until it returns false.
template <class Use>
inline bool each_bit(Hash64 hash, int hashes, int block_bits_log2, Use use)
{
	for (int i = 0; i < hashes; ++i) {
		hash *= remix;
		const auto position = static_cast<std::uint32_t>(hash >> (64 - block_bits_log2));
		if (!use(position / 8, static_cast<std::uint8_t>(1u << position % 8)))
			return false;
	}
	return true;
}

// Sets a value's bits. Says whether one of them was not set.
inline bool add_to_block(std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	std::uint8_t missing = 0;
	each_bit(hash, hashes, block_bits_log2, [&](std::uint32_t byte, std::uint8_t mask) {
		missing = static_cast<std::uint8_t>(missing | (mask & ~block[byte]));
		block[byte] |= mask;
		return true;
	});
	return missing != 0;
}

inline bool block_contains(const std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	return each_bit(hash, hashes, block_bits_log2,
	                [&](std::uint32_t byte, std::uint8_t mask) { return (block[byte] & mask) != 0; });
}

}  // namespace bloomsketch::bloom
