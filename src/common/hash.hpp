// The hash of every sketch: XXH3, 64 bits, over the byte image of a value
// (docs/FORMAT.md), with the sketch's seed. It is part of the file format: no
// stored sketch survives a change here, and test/unit/hash_test.cpp pins it.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/bytes.hpp"

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 is what it is since xxHash 0.8.0");

namespace bloomsketch {

using Hash64 = std::uint64_t;

// The seed is a bigint in SQL; its two's complement bits are xxHash's seed.
inline Hash64 hash_bytes(const void *image, std::size_t length, std::int64_t seed)
{
	return XXH3_64bits_withSeed(image, length, static_cast<XXH64_hash_t>(seed));
}

// Hashes a value whose image is one 8-byte little-endian integer.
inline Hash64 hash_word(std::uint64_t word, std::int64_t seed)
{
	std::uint8_t image[sizeof(word)];
	store_le(image, word);
	return hash_bytes(image, sizeof(image), seed);
}

}  // namespace bloomsketch
