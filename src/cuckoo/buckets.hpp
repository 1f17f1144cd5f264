// Buckets of a cuckoo filter: four slots each, and in a slot a fingerprint of f
// bits, or 0 where it is empty.
//
// There are two halves of M buckets, and a value has one bucket in each, so that
// its two are never the same, whatever M is. For a hash h
//
//   fingerprint  1 + floor((h mod 2^32) (2^f - 1) / 2^32)
//   bucket       floor(h M / 2^64), in the first half
//
// come from different bits. With s = floor(mix(fingerprint) M / 2^64) the other
// bucket of place i in its half is place (s - i) mod M of the other half, in both
// directions alike: a fingerprint can be moved without knowing the value.
//
// The slots are a string of bits, as common/bits.hpp has it: slot k of bucket i
// begins at bit (4 i + k) f. All together are M f bytes.
#pragma once

#include <algorithm>

#include "common/bits.hpp"
#include "common/hash.hpp"

namespace bloomsketch::cuckoo {

inline constexpr int slots_in_bucket = 4;
inline constexpr int most_copies = 2 * slots_in_bucket;

// With fewer fingerprints too many values share both buckets; with longer ones
// nothing is left of the hash's lower half.
inline constexpr int fewest_bits = 4;
inline constexpr int most_bits = 32;

// In fewer buckets values meet too often; and slots are written as words.
inline constexpr std::uint64_t smallest_half = 4;

constexpr std::uint64_t scaled(std::uint64_t hash, std::uint64_t range)
{
	return static_cast<std::uint64_t>(static_cast<unsigned __int128>(hash) * range >> 64);
}

// Fingerprints that are close together have shares of a half that are not.
constexpr std::uint64_t mix(std::uint32_t fingerprint)
{
	const std::uint64_t mixed = fingerprint * 0x9E3779B97F4A7C15;
	return (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93;
}

// A fingerprint and either of its buckets: what a filter knows of a value.
struct Entry {
	std::uint64_t bucket = 0;
	std::uint32_t fingerprint = 0;

	constexpr bool operator==(const Entry &) const = default;
};

struct Geometry {
	std::uint64_t half = 0;  // M
	int bits = 0;            // f

	constexpr bool operator==(const Geometry &) const = default;

	constexpr std::uint64_t buckets() const { return 2 * half; }
	constexpr std::uint64_t slots() const { return buckets() * slots_in_bucket; }
	constexpr std::uint64_t fingerprints() const { return (std::uint64_t{1} << bits) - 1; }
	constexpr std::size_t body_size() const { return static_cast<std::size_t>(half) * static_cast<std::size_t>(bits); }

	// The entry in the first half.
	constexpr Entry entry(Hash64 hash) const
	{
		return {scaled(hash, half), static_cast<std::uint32_t>(1 + ((hash & 0xFFFFFFFF) * fingerprints() >> 32))};
	}

	constexpr std::uint64_t other_bucket(Entry entry) const
	{
		const bool is_second = entry.bucket >= half;
		const std::uint64_t place = entry.bucket - (is_second ? half : 0);
		const std::uint64_t share = scaled(mix(entry.fingerprint), half);
		return (share >= place ? share - place : share + half - place) + (is_second ? 0 : half);
	}
	constexpr Entry other(Entry entry) const { return {other_bucket(entry), entry.fingerprint}; }

	constexpr std::size_t first_bit(std::uint64_t bucket) const
	{
		return static_cast<std::size_t>(bucket) * static_cast<std::size_t>(slots_in_bucket * bits);
	}
};

// What slot `slot` of the bucket that begins at a bit holds.
inline std::uint32_t fingerprint_at(Bytes body, std::size_t first_bit, int slot, int bits)
{
	return static_cast<std::uint32_t>(low_bits(peek_bits(body, first_bit + static_cast<std::size_t>(slot * bits)), bits));
}

// Up to this width a bucket is read at once, and its slots are compared side by side in
// a word: that halves the time of a look-up.
inline constexpr int most_bits_at_once = peeked_bits / slots_in_bucket;

// What follows is for such a bucket: 1 in each of its slots, and the top bit of each
// slot that has a fingerprint. A slot less that is 0, and only 0 has no bit that is set
// after its lower bits were added to ones.
constexpr std::uint64_t one_in_each(int bits)
{
	const std::uint64_t two = std::uint64_t{1} << bits | 1;
	return two << 2 * bits | two;
}
constexpr std::uint64_t matches(std::uint64_t bucket, std::uint32_t fingerprint, int bits)
{
	const std::uint64_t ones = one_in_each(bits), tops = ones << (bits - 1), lower = tops - ones;
	const std::uint64_t differing = bucket ^ ones * fingerprint;
	return ~(((differing & lower) + lower) | differing) & tops;
}

// In how many slots of the bucket that begins at a bit there is a fingerprint.
inline int count_in_bucket(Bytes body, std::size_t first_bit, std::uint32_t fingerprint, int bits)
{
	if (bits <= most_bits_at_once) {
		const std::uint64_t found = matches(peek_bits(body, first_bit), fingerprint, bits) >> (bits - 1);
		return static_cast<int>(found * one_in_each(bits) >> 3 * bits & 7);  // all four in the last
	}
	int count = 0;
	for (int slot = 0; slot < slots_in_bucket; ++slot)
		count += fingerprint_at(body, first_bit, slot, bits) == fingerprint;
	return count;
}

// How many bits behind the bucket's first one the first slot with a fingerprint begins;
// -1 without any.
inline int find_in_bucket(Bytes body, std::size_t first_bit, std::uint32_t fingerprint, int bits)
{
	if (bits <= most_bits_at_once) {
		const std::uint64_t found = matches(peek_bits(body, first_bit), fingerprint, bits);
		return found == 0 ? -1 : std::countr_zero(found) - (bits - 1);
	}
	for (int slot = 0; slot < slots_in_bucket; ++slot)
		if (fingerprint_at(body, first_bit, slot, bits) == fingerprint)
			return slot * bits;
	return -1;
}

// Writes `width` bits from a bit on, in at least 8 bytes.
inline void put_bits(MutableBytes to, std::size_t position, std::uint64_t bits, int width)
{
	const std::size_t at = std::min(position / 8, to.size() - sizeof(std::uint64_t));
	const auto shift = position - 8 * at;
	const std::uint64_t mask = low_bits(~std::uint64_t{0}, width) << shift;
	const std::uint64_t word = load_le<std::uint64_t>(to.data() + at);
	store_le(to.data() + at, (word & ~mask) | bits << shift);
}

}  // namespace bloomsketch::cuckoo
