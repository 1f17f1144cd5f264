// How large a blocked Bloom filter must be to keep its promise.
//
// A block of B bits that got L values, k bits each, answers a false yes with
// probability f^k for the share f of its bits that is set. With t = k L draws,
// f has mean 1 - a, a = (1 - 1/B)^t, and variance
//
//   v = (B (B-1) (1 - 2/B)^t + B a - B^2 a^2) / B^2
//
// so E f^k is close to (1-a)^k + k (k-1) / 2 (1-a)^(k-2) v, and E f^2k likewise.
// L is binomial: n values over N blocks. The filter's rate is the mean over its
// blocks; over all filters it has the mean and, divided by N, the variance of
// one block's (less, in fact, since all loads add up to n). Sized so that the
// mean is at most the target, and three standard deviations above it at most
// 1.05 times the target, which makes the promise hold for a single filter, a
// small one too.
//
// Filters built on different machines are united, so their sizes must be equal
// to the block: only + - * / and square roots are used, which IEEE 754 defines
// to the last bit (compile without contraction).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "bloom/block.hpp"

namespace bloomsketch::bloom {

constexpr bool is_valid_rate(double rate) { return rate > 0 && rate < 1; }

// For more values than this no image below 1 GB keeps even a rate next to 1.
inline constexpr std::int64_t largest_capacity = std::int64_t{1} << 40;

// A value that is not there has the hash of one of n values with probability
// n / 2^64. Down to this rate that adds no more than a hundredth of it.
constexpr double smallest_rate(std::uint64_t capacity)
{
	return 100 * static_cast<double>(capacity) * 0x1p-64;
}

struct Sizing {
	std::uint64_t blocks = 0;  // 0: more than `most_blocks`
	int hashes = 0;
	int block_bits_log2 = small_block_bits_log2;
};

inline constexpr double promised_excess = 1.05;
inline constexpr double promised_sigmas = 3;
inline constexpr double smallest_small_block_rate = 0.001;

constexpr int block_bits_log2_for(double rate)
{
	return rate >= smallest_small_block_rate ? small_block_bits_log2 : large_block_bits_log2;
}

constexpr double power(double base, std::uint64_t exponent)
{
	double result = 1;
	for (; exponent != 0; exponent >>= 1, base *= base)
		if ((exponent & 1) != 0)
			result *= base;
	return result;
}

namespace detail {

// The expected rate of one block, and of its square.
struct Moments {
	double mean;
	double square;
};

constexpr Moments block_moments(std::uint64_t values, int hashes, double bits)
{
	const std::uint64_t draws = values * static_cast<std::uint64_t>(hashes);
	const double a = power(1 - 1 / bits, draws);
	const double v = (bits * (bits - 1) * power(1 - 2 / bits, draws) + bits * a - bits * bits * a * a) / (bits * bits);
	const auto moment = [&](std::uint64_t k) {
		const double curvature = static_cast<double>(k) * static_cast<double>(k - 1) / 2;
		return power(1 - a, k) + (k < 2 ? 0 : curvature * power(1 - a, k - 2) * v);
	};
	const auto k = static_cast<std::uint64_t>(hashes);
	return {moment(k), moment(2 * k)};
}

// Sums over the loads of a block, outwards from the commonest one.
class LoadSum {
public:
	LoadSum(std::uint64_t values, std::uint64_t blocks, int hashes, double bits)
		: values_(static_cast<double>(values)), others_(static_cast<double>(blocks - 1)), hashes_(hashes), bits_(bits)
	{
		const std::uint64_t mode = values / blocks;
		add(mode, 1);
		if (blocks == 1)
			return;
		double weight = 1;
		for (std::uint64_t load = mode; load < values && weight > negligible; ++load) {
			weight *= (values_ - static_cast<double>(load)) / (static_cast<double>(load + 1) * others_);
			add(load + 1, weight);
		}
		weight = 1;
		for (std::uint64_t load = mode; load > 0 && weight > negligible; --load) {
			weight *= static_cast<double>(load) * others_ / (values_ - static_cast<double>(load - 1));
			add(load - 1, weight);
		}
	}

	double mean() const { return mean_ / weights_; }
	double variance() const
	{
		const double difference = square_ / weights_ - mean() * mean();
		return difference > 0 ? difference : 0;
	}

private:
	static constexpr double negligible = 1e-18;

	void add(std::uint64_t load, double weight)
	{
		const Moments moments = block_moments(load, hashes_, bits_);
		weights_ += weight;
		mean_ += weight * moments.mean;
		square_ += weight * moments.square;
	}

	double values_;
	double others_;
	int hashes_;
	double bits_;
	double weights_ = 0;
	double mean_ = 0;
	double square_ = 0;
};

// Where half of a block's share is too much already, there is nothing to sum up:
// all but one in 10,000,000 blocks get more. It bounds the number of loads.
constexpr bool is_hopeless(std::uint64_t capacity, double rate, std::uint64_t blocks, int hashes, double bits)
{
	const std::uint64_t half = std::min(capacity / blocks / 2, std::uint64_t{1} << 32);
	return half > 64 && block_moments(half, hashes, bits).mean > rate;
}

inline bool keeps_promise(std::uint64_t capacity, double rate, std::uint64_t blocks, int hashes, int block_bits_log2)
{
	const double bits = static_cast<double>(std::uint64_t{1} << block_bits_log2);
	if (is_hopeless(capacity, rate, blocks, hashes, bits))
		return false;
	const LoadSum sum(capacity, blocks, hashes, bits);
	const double deviation = std::sqrt(sum.variance() / static_cast<double>(blocks));
	return sum.mean() <= rate && sum.mean() + promised_sigmas * deviation <= promised_excess * rate;
}

// The fewest blocks that keep the promise with so many hashes; 0 if that takes
// more than `most`.
inline std::uint64_t fewest_blocks(std::uint64_t capacity, double rate, int hashes, int block_bits_log2,
                                   std::uint64_t most)
{
	const auto keeps = [&](std::uint64_t blocks) {
		return keeps_promise(capacity, rate, blocks, hashes, block_bits_log2);
	};
	// Near the classic filter's k / ln 2 bits a value, then by eighths.
	const double bits = static_cast<double>(capacity) * hashes / std::numbers::ln2;
	const double guess = bits / static_cast<double>(std::uint64_t{1} << block_bits_log2);
	std::uint64_t high = guess < 1 ? 1 : guess < static_cast<double>(most) ? static_cast<std::uint64_t>(guess) : most;
	while (high > 1 && keeps(high * 7 / 8))
		high = high * 7 / 8;
	std::uint64_t low = high * 7 / 8 + 1;
	while (!keeps(high)) {
		if (high == most)
			return 0;
		low = high + 1;
		high = std::min(high + high / 8 + 1, most);
	}
	while (low < high) {
		const std::uint64_t middle = low + (high - low) / 2;
		if (keeps(middle))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

// The number of hashes that leaves half of a classic filter's bits set, the
// integer next to log2(1 / rate). Rates doubled come to lie around 2^-1.
constexpr int classic_hashes(double rate)
{
	constexpr double between_one_and_two = 0.35355339059327373;  // 2^-1.5
	int hashes = 1;
	for (; rate < between_one_and_two && hashes < max_hashes; rate *= 2)
		++hashes;
	return hashes;
}

}  // namespace detail

// The smallest filter for `capacity` distinct values at a false positive rate in
// (0, 1), of at most `most_blocks`, with as many hashes as a classic filter has.
// In blocks another number is sometimes smaller: by 0.2 % at 1 %, never by 3 %.
inline Sizing size_for(std::uint64_t capacity, double rate, std::uint64_t most_blocks)
{
	const int log2 = block_bits_log2_for(rate);
	const int hashes = detail::classic_hashes(rate);
	return {detail::fewest_blocks(capacity, rate, hashes, log2, most_blocks), hashes, log2};
}

}  // namespace bloomsketch::bloom
