// What a Top-K sketch is made for, and what it may take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bloomsketch::topk {

// How many values may be asked for. A thousandth of all weights is what a value needs
// to be seen at the smallest k, a hundred-thousandth at the largest: what is rarer than
// that belongs into an exact count.
inline constexpr std::int64_t largest_k = 10'000;

constexpr bool is_valid_k(std::int64_t k) { return k >= 1 && k <= largest_k; }

struct Parameters {
	std::uint32_t k = 0;
	std::int64_t seed = 0;

	constexpr bool operator==(const Parameters &) const = default;
};

// m, how many counters there are at most. Ten for each value asked for keep the k most
// frequent ones of skewed data apart from the rest (test/unit/topk_accuracy_test.cpp); a
// thousand, for errors of a thousandth, take 17 kB with numbers, whatever the k.
constexpr std::uint32_t counters_for(std::uint32_t k) { return std::max(std::uint32_t{1'000}, 10 * k); }
inline constexpr std::uint32_t most_counters = counters_for(largest_k);

// Numbers of counters share words with other things while a sketch is built, in so many
// bits.
inline constexpr std::uint32_t counter_bits = 17;
static_assert(most_counters < 1u << counter_bits);

// Values are kept as text, each whole, or refused. 10 kB is more than anybody reads in a
// list. 64 MB are the most for which the text form, of two digits a byte, and an image that
// is outgrown beside its successor stay far from the 1 GB that PostgreSQL has for a value.
inline constexpr std::size_t longest_text = 10'240;
inline constexpr std::size_t most_text = std::size_t{64} << 20;

inline constexpr std::uint64_t max_total = INT64_MAX;

}  // namespace bloomsketch::topk
