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

// Calls use(byte, mask) for each of a hash's `hashes` bits until it returns false.
template <class Use>
inline bool each_bit(Hash64 hash, int hashes, int block_bits_log2, Use use)
{
	for (int i = 0; i < hashes; ++i) {
		const auto position =
			static_cast<std::uint32_t>(hash * multipliers[static_cast<std::size_t>(i)] >> (64 - block_bits_log2));
		if (!use(position / 8, static_cast<std::uint8_t>(1u << position % 8)))
			return false;
	}
	return true;
}

// Sets a value's bits.
inline void add_to_block(std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	each_bit(hash, hashes, block_bits_log2, [&](std::uint32_t byte, std::uint8_t mask) {
		block[byte] |= mask;
		return true;
	});
}

inline bool block_contains(const std::uint8_t *block, Hash64 hash, int hashes, int block_bits_log2)
{
	return each_bit(hash, hashes, block_bits_log2,
	                [&](std::uint32_t byte, std::uint8_t mask) { return (block[byte] & mask) != 0; });
}

}  // namespace bloomsketch::bloom
