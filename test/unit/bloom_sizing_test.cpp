// Sizes, against the formula in long double and against the promise.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "bloom/state.hpp"
#include "random.hpp"

namespace bloomsketch::bloom {
namespace {

Sizing size_of(std::uint64_t capacity, double rate)
{
	return size_for(capacity, rate, State::most_blocks(rate));
}

double bits(const Sizing &sizing) { return std::ldexp(static_cast<double>(sizing.blocks), sizing.block_bits_log2); }

// What a filter that is not in blocks would take, -n ln p / (ln 2)^2.
double classic_bits(double capacity, double rate)
{
	return -capacity * std::log(rate) / (std::numbers::ln2 * std::numbers::ln2);
}

// E X^power for the share X of `bits` that `draws` leave set, to second order.
long double moment_of_share(long double draws, long double bits, int power)
{
	if (draws == 0)
		return 0;
	const long double clear = std::exp(draws * std::log1p(-1 / bits));
	const long double two_clear = clear * std::exp(draws * std::log1p(-1 / (bits - 1)));
	const long double variance = two_clear * (1 - 1 / bits) + clear / bits - clear * clear;
	const long double set = 1 - clear;
	const long double first = std::pow(set, static_cast<long double>(power));
	return power < 2 ? first : first * (1 + power * (power - 1) / 2.0L * variance / (set * set));
}

// The filter's expected rate and its deviation between filters.
struct Rate {
	long double mean, deviation;

	bool keeps(long double target) const { return mean <= target && mean + 3 * deviation <= 1.05L * target; }
};

Rate rate_by_formula(std::uint64_t capacity, std::uint64_t blocks, int hashes, int block_bits_log2)
{
	const long double n = static_cast<long double>(capacity), p = 1.0L / static_cast<long double>(blocks);
	const long double b = std::exp2(static_cast<long double>(block_bits_log2));
	const long double mean_load = n * p, spread = 10 * std::sqrt(mean_load) + 40;
	long double mean = 0, square = 0;
	const long double last = std::min(n, mean_load + spread);
	for (long double load = std::max(0.0L, std::floor(mean_load - spread)); load <= last; ++load) {
		const long double chance =
			blocks == 1 ? load == n
						: std::exp(std::lgamma(n + 1) - std::lgamma(load + 1) - std::lgamma(n - load + 1) +
								   load * std::log(p) + (n - load) * std::log1p(-p));
		mean += chance * moment_of_share(load * hashes, b, hashes);
		square += chance * moment_of_share(load * hashes, b, 2 * hashes);
	}
	return {mean, std::sqrt(std::max(0.0L, square - mean * mean) * p)};
}

TEST(BloomSizing, NearTheClassicFilter)
{
	constexpr std::uint64_t million = 1'000'000;
	const double allowed[][2] = {{0.1, 1.04}, {0.01, 1.04}, {0.001, 1.10}, {0.0001, 1.04}, {1e-6, 1.07}};
	for (const auto &[rate, ratio] : allowed) {
		const Sizing sizing = size_of(million, rate);
		EXPECT_LE(bits(sizing), ratio * classic_bits(million, rate)) << rate;
		EXPECT_GE(bits(sizing), classic_bits(million, rate)) << rate << ": no filter is smaller than that";
	}
}

// The size is the smallest that keeps the promise: one block less breaks it.
TEST(BloomSizing, FewestBlocksByTheFormula)
{
	for (const double rate : {0.9, 0.5, 0.3, 0.1, 0.02, 0.01, 0.001, 0.0001, 1e-6, 1e-9, 1e-12})
		for (const std::uint64_t capacity : {20u, 100u, 1'000u, 54'321u, 1'000'000u}) {
			const Sizing sizing = size_of(capacity, rate);
			const auto keeps = [&](std::uint64_t blocks) {
				return rate_by_formula(capacity, blocks, sizing.hashes, sizing.block_bits_log2).keeps(rate);
			};
			SCOPED_TRACE(std::to_string(capacity) + " at " + std::to_string(rate));
			ASSERT_TRUE(keeps(sizing.blocks));
			ASSERT_TRUE(sizing.blocks == 1 || !keeps(sizing.blocks - 1));
		}
}

TEST(BloomSizing, HashesOfAClassicFilter)
{
	test::Random random(5);
	for (int round = 0; round < 10'000; ++round) {
		const double rate = std::exp2(-70 * random.unit());
		const long exact = std::lround(-std::log2(static_cast<long double>(rate)));
		ASSERT_EQ(detail::classic_hashes(rate), std::clamp(exact, 1L, 64L)) << rate;
	}
	EXPECT_EQ(detail::classic_hashes(0x1p-1074), max_hashes);
	EXPECT_EQ(detail::classic_hashes(1 - 0x1p-53), 1);
}

// No other number of hashes would save 2 %.
TEST(BloomSizing, NoOtherNumberOfHashesIsMuchBetter)
{
	for (const double rate : {0.9, 0.5, 0.37, 0.34, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0001, 1e-6, 1e-9}) {
		const Sizing sizing = size_of(1'000'000, rate);
		for (int hashes = std::max(1, sizing.hashes - 5); hashes <= sizing.hashes + 3; ++hashes) {
			const std::uint64_t blocks = detail::fewest_blocks(1'000'000, rate, hashes, sizing.block_bits_log2, 10'000'000);
			ASSERT_GE(static_cast<double>(blocks), 0.98 * static_cast<double>(sizing.blocks)) << rate << ", " << hashes;
		}
	}
}

// The sums themselves, to far more digits than decide about a block.
TEST(BloomSizing, SumsFollowTheFormula)
{
	test::Random random(1);
	for (int round = 0; round < 100; ++round) {
		const std::uint64_t capacity = 1 + random.below(std::uint64_t{1} << (1 + random.below(30)));
		const int log2 = round % 2 != 0 ? small_block_bits_log2 : large_block_bits_log2;
		const int hashes = 1 + static_cast<int>(random.below(20));
		const double ideal = static_cast<double>(capacity) * hashes / std::exp2(log2);
		const auto blocks = static_cast<std::uint64_t>(1 + ideal * (0.5 + 2 * random.unit()));
		const detail::LoadSum sum(capacity, blocks, hashes, std::exp2(log2));
		const Rate expected = rate_by_formula(capacity, blocks, hashes, log2);
		SCOPED_TRACE(std::to_string(capacity) + " in " + std::to_string(blocks) + ", " + std::to_string(hashes));
		ASSERT_NEAR(sum.mean() / static_cast<double>(expected.mean), 1, 1e-7);
		ASSERT_NEAR(std::sqrt(sum.variance() / static_cast<double>(blocks)), static_cast<double>(expected.deviation),
		            1e-5 * static_cast<double>(expected.deviation) + 1e-7 * static_cast<double>(expected.mean));
	}
}

// The formula itself: blocks filled at random, without hashes. The mean over
// `rounds` deviates by sqrt(E f^2k - (E f^k)^2) / sqrt(rounds); the second order
// leaves out less than 1 %.
TEST(BloomSizing, FormulaFollowsNature)
{
	constexpr int rounds = 100'000, block_bits = 512;
	test::Random random(2);
	const int loads[][2] = {{50, 6}, {20, 3}, {85, 6}, {40, 9}};
	for (const auto &[values, hashes] : loads) {
		double sum = 0;
		for (int round = 0; round < rounds; ++round) {
			std::array<bool, block_bits> block{};
			int set = 0;
			for (int draw = 0; draw < values * hashes; ++draw) {
				bool &bit = block[random.below(block_bits)];
				set += !bit;
				bit = true;
			}
			sum += std::pow(set / double{block_bits}, hashes);
		}
		const auto moments = detail::block_moments(static_cast<std::uint64_t>(values), hashes, block_bits);
		const double deviation = std::sqrt((moments.square - moments.mean * moments.mean) / rounds);
		EXPECT_NEAR(sum / rounds, moments.mean, 5 * deviation + 0.01 * moments.mean) << values << ", " << hashes;
	}
}

TEST(BloomSizing, GrowsWithCapacityAndPrecision)
{
	for (const double rate : {0.5, 0.1, 0.01, 0.001, 0.0001, 1e-9}) {
		double before = 0;
		for (std::uint64_t capacity = 1; capacity < 20'000'000; capacity += capacity / 5 + 1) {
			const double now = bits(size_of(capacity, rate));
			ASSERT_GE(now, before) << capacity << " at " << rate;
			before = now;
		}
	}
	// Large blocks begin below 0.001, where a filter of a few blocks may step back
	// for once; within either kind it never does.
	for (const std::uint64_t capacity : {1u, 30u, 1'000u, 1'000'000u})
		for (const auto &[from, to] : {std::pair{0.9, 0.001}, std::pair{0.00099, 1e-9}}) {
			double before = 0;
			for (double rate = from; rate >= to; rate *= 0.93) {
				const double now = bits(size_of(capacity, rate));
				ASSERT_GE(now, before) << capacity << " at " << rate;
				before = now;
			}
		}
}

TEST(BloomSizing, KindOfBlockByRate)
{
	EXPECT_EQ(block_bits_log2_for(0.001), 9);
	EXPECT_EQ(block_bits_log2_for(std::nextafter(0.001, 0)), 12);
	EXPECT_EQ(size_of(1'000, 0.001).block_bits_log2, 9);
	EXPECT_EQ(size_of(1'000, 0.000999).block_bits_log2, 12);
}

// Whatever is asked for, within the limit or 0 blocks. How long it takes no clock could
// tell on a busy machine: LoadsAreBounded is about that.
TEST(BloomSizing, Extremes)
{
	const double denormal = 0x1p-1074, nearly_one = 1 - 0x1p-53;
	for (const double rate : {denormal, 1e-300, 1e-30, 0.5, 0.9999999, nearly_one})
		for (const std::uint64_t capacity : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1'000'000},
		                                     std::uint64_t{1} << 33, std::uint64_t{1} << 62, std::uint64_t{INT64_MAX}}) {
			const Sizing sizing = size_of(capacity, rate);
			ASSERT_LE(sizing.blocks, State::most_blocks(rate));
			ASSERT_TRUE(sizing.blocks == 0 || (sizing.hashes >= 1 && sizing.hashes <= max_hashes));
		}
	EXPECT_EQ(size_of(INT64_MAX, nearly_one).blocks, 0u);
	EXPECT_EQ(size_of(INT64_MAX, 1e-300).blocks, 0u);
	EXPECT_EQ(size_of(1, denormal).blocks, 0u);
	EXPECT_EQ(size_of(1, 0.9999999).blocks, 1u);
	EXPECT_EQ(size_of(1, 1e-6).blocks, 1u);
	EXPECT_GT(size_of(100'000'000'000, 0.9999999).blocks, 0u) << "much is said to be there, little is stored";
}

// From the largest capacity on nothing is left to be refused by its rate alone.
TEST(BloomSizing, LargestCapacity)
{
	const double nearly_one = 1 - 0x1p-53;
	EXPECT_GT(size_of(largest_capacity / 4, nearly_one).blocks, 0u);
	for (std::uint64_t capacity = largest_capacity; capacity <= INT64_MAX; capacity *= 2)
		EXPECT_EQ(size_of(capacity, nearly_one).blocks, 0u) << capacity;
	EXPECT_EQ(size_of(largest_capacity + 1, nearly_one).blocks, 0u);
}

// At the smallest rate the n hashes that are there add a hundredth of it: exactly, as
// only powers of two and integers far below 2^53 are multiplied.
TEST(BloomSizing, SmallestRate)
{
	for (const std::uint64_t capacity : {std::uint64_t{1}, std::uint64_t{1'000'003}, std::uint64_t{largest_capacity}}) {
		const double colliding = static_cast<double>(capacity) * 0x1p-64;
		EXPECT_EQ(smallest_rate(capacity), 100 * colliding);
		EXPECT_LT(smallest_rate(capacity), smallest_rate(capacity + 1));
	}
	EXPECT_GT(size_of(1, smallest_rate(1)).blocks, 0u);
	EXPECT_GT(size_of(50'000'000, smallest_rate(50'000'000)).blocks, 0u);
}

// The logarithm of a load's weight, that of the commonest one being 0.
long double log_weight(long double values, long double blocks, long double load)
{
	const auto log_chance = [&](long double each) {
		return -std::lgamma(each + 1) - std::lgamma(values - each + 1) - each * std::log(blocks - 1);
	};
	return log_chance(load) - log_chance(std::floor(values / blocks));
}

// A sum ends where a weight is below 1e-18 of the commonest load's, which is within 10
// deviations of the binomial and 40 loads more.
TEST(BloomSizing, WeightsBeyondTenDeviationsAreNegligible)
{
	const long double negligible = std::log(1e-18L);
	for (const double mean : {1e-6, 0.01, 1.0, 10.0, 73.0, 500.0, 5'000.0, 100'000.0})
		for (const double blocks : {2.0, 3.0, 100.0, 16'777'215.0}) {
			const double values = std::max(1.0, std::floor(mean * blocks)), mode = std::floor(values / blocks);
			const double reach = std::ceil(10 * std::sqrt(mode * (1 - 1 / blocks)) + 40);
			SCOPED_TRACE(std::to_string(values) + " in " + std::to_string(blocks));
			if (mode + reach <= values) {
				EXPECT_LT(log_weight(values, blocks, mode + reach), negligible);
			}
			if (mode >= reach) {
				EXPECT_LT(log_weight(values, blocks, mode - reach), negligible);
			}
		}
}

// What has a mean load above 600,000 / k is not summed up at all.
TEST(BloomSizing, LoadsAreBounded)
{
	for (const int log2 : {small_block_bits_log2, large_block_bits_log2})
		for (int hashes = 1; hashes <= max_hashes; ++hashes) {
			const double size = std::exp2(log2);
			const auto mean_load = static_cast<std::uint64_t>(600'000 / hashes);
			EXPECT_TRUE(detail::is_hopeless(mean_load * 1'000, 1 - 0x1p-53, 1'000, hashes, size));
			EXPECT_TRUE(detail::is_hopeless(INT64_MAX, 1 - 0x1p-53, 1, hashes, size));
			EXPECT_TRUE(detail::is_hopeless(std::uint64_t{1} << 62, 1 - 0x1p-53, 1, hashes, size));
			EXPECT_FALSE(detail::is_hopeless(100'000, 1 - 0x1p-53, 1'000, hashes, size));
		}
}

// Hopeless means hopeless: by the whole sum too.
TEST(BloomSizing, HopelessBreaksThePromise)
{
	test::Random random(3);
	int tried = 0;
	for (int round = 0; round < 2'000; ++round) {
		const std::uint64_t blocks = 1 + random.below(1'000);
		const std::uint64_t capacity = blocks * (130 + random.below(3'000));
		const int hashes = 1 + static_cast<int>(random.below(8));
		const double rate = random.below(2) != 0 ? random.unit() : 1 - random.unit() / 1'000;
		if (!detail::is_hopeless(capacity, rate, blocks, hashes, 512))
			continue;
		++tried;
		ASSERT_GT(detail::LoadSum(capacity, blocks, hashes, 512).mean(), rate);
	}
	EXPECT_GT(tried, 300);
}

TEST(BloomSizing, LimitIsKept)
{
	for (const double rate : {0.5, 0.01, 1e-6})
		for (const std::uint64_t capacity : {1'000u, 1'000'000u}) {
			const Sizing free = size_of(capacity, rate);
			const Sizing exact = size_for(capacity, rate, free.blocks);
			EXPECT_EQ(exact.blocks, free.blocks);
			EXPECT_EQ(exact.hashes, free.hashes);
			EXPECT_EQ(size_for(capacity, rate, free.blocks - 1).blocks, 0u);
			EXPECT_EQ(size_for(capacity, rate, 1).blocks, 0u);
		}
}

// The largest filters fit PostgreSQL's limit, in either form and with a seed; one
// block more would not.
TEST(BloomSizing, ImageLimit)
{
	for (const double rate : {0.01, 1e-6}) {
		const Parameters parameters{1, rate, 1, 5};
		const std::uint64_t most = State::most_blocks(rate);
		EXPECT_LE(State::image_size(parameters, most, Form::building), largest_image);
		EXPECT_GT(State::image_size(parameters, most + 1, Form::building), largest_image);
	}
	EXPECT_EQ(largest_image + 4, 0x3FFFFFFFu);
}

TEST(BloomSizing, PowerIsExactWhereItCanBe)
{
	EXPECT_EQ(power(0.3, 0), 1);
	EXPECT_EQ(power(0.3, 1), 0.3);
	EXPECT_EQ(power(2, 62), 0x1p62);
	EXPECT_EQ(power(3, 33), 5559060566555523.);
	EXPECT_EQ(power(0, 5), 0);
	test::Random random(4);
	for (int round = 0; round < 1'000; ++round) {
		const double base = random.unit();
		const std::uint64_t exponent = random.below(1'000);
		const long double expected = std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
		ASSERT_NEAR(power(base, exponent), static_cast<double>(expected), static_cast<double>(expected) * 1e-12 + 1e-300);
	}
}

}  // namespace
}  // namespace bloomsketch::bloom
