// How many buckets a cuckoo filter has for a capacity, and how long its
// fingerprints are for a false positive rate.
//
// Two buckets of four slots can be filled to 98 % of all slots: more values than
// that have too few places between them, however they are moved. The number of
// values at which a filter with random ones is full has a standard deviation of
// 0.2 times the square root of the slots, and where there are few slots a longer
// tail, since nine values may meet in the same two buckets. So a filter for n values has
//
//   8 M >= n / 0.95   and   8 M >= (n + 2 sqrt(n) + 6) / 0.98
//
// slots. (The second decides below n = 4,383.) Measured chances to be full before
// there are n random values (test/bench/cuckoo_accuracy.cpp): at 1 % at most 2e-5, at n = 17
// to 50, and none in 10,000 builds for 1,000 and more; where f = 4, which leaves a bucket
// few partners, up to 1e-4 for small n.
//
// A value that is not in a filter of n is found if its fingerprint and its first
// bucket are those of one that is: M (2^f - 1) pairs, so with x = n / (M (2^f - 1))
//
//   1 - e^-x <= x / (1 + x / 2)
//
// is the rate. The right side is close, and made of + - * / alone: filters built on
// different machines are united, so their sizes must be equal to the bit (compile
// without contraction).
#pragma once

#include <cmath>

#include "cuckoo/buckets.hpp"

namespace bloomsketch::cuckoo {

// The longest fingerprints keep this rate in the fullest filters.
inline constexpr double smallest_rate = 2e-9;
constexpr bool is_valid_rate(double rate) { return rate >= smallest_rate && rate < 1; }

// Beyond this many times its target rate a filter warns. Where there are few buckets there
// is room for more than twice the capacity.
inline constexpr double allowed_excess = 2;

// For more values than this no image is below 1 GB.
inline constexpr std::uint64_t largest_capacity = std::uint64_t{1} << 32;

inline constexpr std::size_t largest_image = 0x3FFFFFFF - 4;  // PostgreSQL's limit and its length word

namespace detail {

inline double rate_bound(double capacity, const Geometry &geometry)
{
	const double x = capacity / (static_cast<double>(geometry.half) * static_cast<double>(geometry.fingerprints()));
	return x / (1 + x / 2);
}

}  // namespace detail

// M for so many values, up to largest_capacity.
inline std::uint64_t half_for(std::uint64_t capacity)
{
	const auto n = static_cast<double>(capacity);
	const double slots = std::max(n / 0.95, (n + 2 * std::sqrt(n) + 6) / 0.98);
	return std::max(smallest_half, static_cast<std::uint64_t>(std::ceil(slots / (2 * slots_in_bucket))));
}

// The smallest filter for a capacity and a valid rate, with a head of so many bytes;
// no buckets where it would be larger than `largest_image`.
inline Geometry geometry_for(std::uint64_t capacity, double rate, std::size_t head_size)
{
	if (capacity > largest_capacity)
		return {};
	Geometry geometry{half_for(capacity), fewest_bits};
	while (geometry.bits < most_bits && detail::rate_bound(static_cast<double>(capacity), geometry) > rate)
		++geometry.bits;
	return geometry.body_size() <= largest_image - head_size ? geometry : Geometry{};
}

// The chance that a value that is not in a filter is found: at most this, and less where
// values have several copies.
inline double expected_rate(const Geometry &geometry, std::uint64_t items)
{
	const double pairs = static_cast<double>(geometry.half) * static_cast<double>(geometry.fingerprints());
	return -std::expm1(-static_cast<double>(items) / pairs);
}

inline double load_of(const Geometry &geometry, std::uint64_t items)
{
	return static_cast<double>(items) / static_cast<double>(geometry.slots());
}

// Values in this share of the slots and more are as many as random ones are.
inline constexpr double least_full_load = 0.9;

// The capacity with which to build a filter again that has no room, for `wanted`
// values: for all of them, and with a fourth to spare. Twice the capacity where it is
// full early, by copies: they must lie in two buckets.
inline std::uint64_t capacity_to_rebuild(std::uint64_t capacity, double load, std::uint64_t wanted)
{
	return std::max(wanted, load < least_full_load ? 2 * capacity : capacity + capacity / 4 + 1);
}

}  // namespace bloomsketch::cuckoo
