// Bounds of the number of distinct values; `make accuracy` measures their coverage
// with many more trials and at all precisions.
#include <gtest/gtest.h>

#include "../bench/trial.hpp"
#include "hll/bounds.hpp"

namespace bloomsketch::hll {
namespace {

using test::Random;
using test::Rising;

TEST(Bounds, NormalDeviation)
{
	EXPECT_NEAR(detail::normal_deviation(0.5), 0.674489750196, 1e-11);
	EXPECT_NEAR(detail::normal_deviation(0.68), 0.994457883210, 1e-11);
	EXPECT_NEAR(detail::normal_deviation(0.95), 1.959963984540, 1e-11);
	EXPECT_NEAR(detail::normal_deviation(0.99), 2.575829303549, 1e-11);
	EXPECT_NEAR(detail::normal_deviation(1e-9), 1e-9 * std::sqrt(std::numbers::pi / 2), 1e-15);
	EXPECT_NEAR(detail::normal_deviation(1 - 0x1p-53), 8.2, 0.1);
}

// Mean, variance and skewness of bend(z) over the normal distribution. Wilson and
// Hilferty's cube is an approximation, good to a few per cent of the skewness.
TEST(Bounds, BendHasTheMomentsItIsToldTo)
{
	for (const double skewness : {-1., -0.5, -0.1, 0., 0.1, 0.25, 1.}) {
		double weight = 0, mean = 0, square = 0, cube = 0;
		for (double z = -9; z <= 9; z += 1e-3) {
			const double density = std::exp(-z * z / 2), x = detail::bend(z, skewness);
			weight += density;
			mean += density * x;
			square += density * x * x;
			cube += density * x * x * x;
		}
		EXPECT_NEAR(mean / weight, 0, 0.01 * std::abs(skewness) + 1e-9) << skewness;
		EXPECT_NEAR(square / weight, 1, 0.02 * std::abs(skewness) + 1e-9) << skewness;
		EXPECT_NEAR(cube / weight, skewness, 0.05 * std::abs(skewness) + 1e-9) << skewness;
	}
}

TEST(Bounds, BendGrowsToTheEndOfTheRange)
{
	for (const double skewness : {-100., -3., -1., -0.01, 0., 0.01, 1., 3.})
		for (double z = -9; z < 9; z += 0.125)
			ASSERT_LE(detail::bend(z, skewness), detail::bend(z + 0.125, skewness) + 1e-12) << skewness << ", " << z;
	EXPECT_DOUBLE_EQ(detail::bend(9, -3), 2 / 3.);
	EXPECT_DOUBLE_EQ(detail::bend(-9, 3), -2 / 3.);
}

TEST(Bounds, BoundIsWhereTheEstimateIsTheQuantile)
{
	for (const double m : {16., 1024., 262144.})
		for (const double estimate : {m / 4, m, 5 * m, 1e4 * m})
			for (const double z : {-2.6, -1., 0., 1., 2.6}) {
				const double n = detail::values_at(estimate, z, m), load = n / m;
				const double r = std::sqrt((1.08 - 0.5 * std::exp(-0.27 * load) - 0.08 * std::exp(-0.035 * load)) / m);
				const double s = (0.95 - 1.6 / load * std::exp(-0.15 * load * load)) / std::sqrt(m);
				ASSERT_NEAR(std::log(estimate / n), r * detail::bend(z, s) - r * r / 2, 1e-4 * r) << m << ", " << load;
			}
}

void expect_in_order(const Histogram &histogram, int p)
{
	const double estimate = estimate_registers(histogram, p);
	Bounds before{rounded(estimate), rounded(estimate), rounded(estimate)};
	for (const double confidence : {1e-9, 0.1, 0.5, 0.68, 0.95, 0.99, 0.999999, 1 - 0x1p-53}) {
		const Bounds bounds = bounds_of_registers(sums_of(histogram, p), p, confidence);
		ASSERT_EQ(bounds.estimate, rounded(estimate));
		ASSERT_LE(bounds.lower, bounds.estimate);
		ASSERT_GE(bounds.upper, bounds.estimate);
		ASSERT_LE(bounds.lower, before.lower) << "p " << p << ", " << estimate << ", " << confidence;
		ASSERT_GE(bounds.upper, before.upper) << "p " << p << ", " << estimate << ", " << confidence;
		ASSERT_GE(bounds.lower, std::min<std::int64_t>(register_count(p) - histogram[0], bounds.estimate));
		before = bounds;
	}
}

TEST(Bounds, WiderWithMoreConfidence)
{
	Random random(1);
	for (int p = min_precision; p <= max_precision; ++p)
		for (double n = entry_limit(p) + 1; n < 1e20; n *= 3)
			expect_in_order(Rising::draw(p, n, random), p);
}

TEST(Bounds, AnyHistogramHasThem)
{
	for (int p = min_precision; p <= max_precision; ++p) {
		const std::uint32_t m = register_count(p);
		for (int rank = 1; rank <= max_rank(p); ++rank)
			for (const std::uint32_t count : {1u, m / 2, m - 1, m}) {
				Histogram histogram{};
				histogram[0] = m - count;
				histogram[static_cast<std::size_t>(rank)] = count;
				expect_in_order(histogram, p);
			}
	}
	Histogram empty{};
	empty[0] = 16;
	EXPECT_EQ(bounds_of_registers(sums_of(empty, 4), 4, 0.95), (Bounds{0, 0, 0}));
	Histogram full{};
	full[max_rank(4)] = 16;
	EXPECT_EQ(bounds_of_registers(sums_of(full, 4), 4, 0.95), (Bounds{INT64_MAX, INT64_MAX, INT64_MAX}));
}

// How often n is below, within and above the bounds.
struct Coverage {
	double below = 0, within = 0, above = 0, trials = 0;

	void add(const Bounds &bounds, double n)
	{
		below += n < static_cast<double>(bounds.lower);
		above += n > static_cast<double>(bounds.upper);
		within += static_cast<double>(bounds.lower) <= n && n <= static_cast<double>(bounds.upper);
		++trials;
	}
};

constexpr std::array confidences{0.68, 0.95, 0.99};

// Coverage over sketches of these numbers of values, and of either tail: within
// `allowed` of what it should be, plus 5 standard deviations of the noise (the
// binomial's; one honest run in 1,700,000 would fail).
void expect_covered(int p, const std::vector<double> &numbers, int trials, double allowed)
{
	std::array<Coverage, confidences.size()> covered{};
	Random random(static_cast<std::uint64_t>(p));
	for (const double n : numbers)
		for (int trial = 0; trial < trials; ++trial) {
			const Histogram histogram = Rising::draw(p, n, random);
			for (std::size_t i = 0; i < confidences.size(); ++i)
				covered[i].add(bounds_of_registers(sums_of(histogram, p), p, confidences[i]), n);
		}
	for (std::size_t i = 0; i < confidences.size(); ++i) {
		const Coverage &at = covered[i];
		const double confidence = confidences[i], tail = (1 - confidence) / 2;
		const auto margin = [&](double chance) { return allowed + 5 * std::sqrt(chance * (1 - chance) / at.trials); };
		EXPECT_NEAR(at.within / at.trials, confidence, margin(confidence)) << "p " << p;
		EXPECT_NEAR(at.below / at.trials, tail, margin(tail)) << "p " << p << ", " << confidence;
		EXPECT_NEAR(at.above / at.trials, tail, margin(tail)) << "p " << p << ", " << confidence;
	}
}

TEST(Bounds, CoverWhatTheySayOnceFull)
{
	expect_covered(4, {3e3, 1e4, 1e5, 1e6, 1e7, 1e8}, 2'500, 0.005);
	expect_covered(6, {1e4, 1e5, 1e6, 1e8}, 2'500, 0.005);
	expect_covered(14, {1e6, 1e7, 1e8}, 2'500, 0.005);
}

TEST(Bounds, CoverWhatTheySayAtAnyLoad)
{
	expect_covered(12, {2'600, 4'000, 6'000}, 2'500, 0.005);
	expect_covered(12, {10'000, 14'000, 20'000}, 2'500, 0.005);
	expect_covered(12, {30'000, 50'000, 80'000}, 2'500, 0.005);
	expect_covered(16, {30'000, 100'000, 300'000}, 2'500, 0.005);
}

// Where the range is a few numbers wide. Rounded to the outside it would have half a
// number more at either end, which is 3 points here at 68 %.
TEST(Bounds, CoverWhatTheySayOfFewValues)
{
	expect_covered(8, {160, 165, 170, 175, 180, 185, 190, 195}, 5'000, 0.01);
}

// At low loads, estimates of small sketches come in steps: coverage is not too low
// at any number of values; without the half step it is, by 13 points.
TEST(Bounds, CoverEnoughWhereEstimatesComeInSteps)
{
	constexpr int trials = 3'000;
	constexpr double margin = 0.015 + 5 * 0.0085;  // sqrt(0.68 0.32 / trials) = 0.0085
	for (const double n : {20., 23., 26., 29., 32., 35., 38., 41., 44., 50., 60.}) {
		Coverage covered;
		for (int seed = 1; seed <= trials; ++seed) {
			test::Trial trial(7, seed);
			trial.advance_to(n);
			covered.add(bounds_of_registers(sums_of(trial.histogram(), 7), 7, 0.68), n);
		}
		EXPECT_GE(covered.within / trials, 0.68 - margin) << n;
	}
}

// The number of values that met an index in use, d, is Poisson: no more than
// (1 - confidence) / 2 are beyond either bound, and the bounds are the closest so.
TEST(Bounds, EntriesHavePoissonQuantiles)
{
	for (const double confidence : {0.01, 0.68, 0.95, 0.99, 1 - 1e-9})
		for (const std::uint32_t entries : {1u, 100u, 1'000u, 3'000u, 8'192u, 20'000u, 32'768u}) {
			const double mean = estimate_entries(entries) - entries, tail = (1 - confidence) / 2;
			const auto at_most = [&](std::int64_t d) {
				double sum = 0;
				for (std::int64_t i = 0; i <= d; ++i)
					sum += std::exp(static_cast<double>(i) * std::log(mean) - mean - std::lgamma(static_cast<double>(i) + 1));
				return sum;
			};
			const Bounds bounds = bounds_of_entries(entries, confidence);
			const std::int64_t lower = bounds.lower - entries, upper = bounds.upper - entries;
			const std::int64_t shared = bounds.estimate - entries;
			ASSERT_EQ(bounds.estimate, rounded(estimate_entries(entries)));
			ASSERT_TRUE(0 <= lower && lower <= shared && shared <= upper);
			EXPECT_LE(at_most(lower - 1), tail);
			EXPECT_TRUE(lower == shared || at_most(lower) > tail);
			EXPECT_GE(at_most(upper), 1 - tail - 1e-12);
			EXPECT_TRUE(upper == shared || at_most(upper - 1) < 1 - tail);
		}
}

TEST(Bounds, FewValuesAreExact)
{
	EXPECT_EQ(bounds_of_entries(0, 0.99), (Bounds{0, 0, 0}));
	EXPECT_EQ(bounds_of_entries(1, 0.99), (Bounds{1, 1, 1}));
	EXPECT_EQ(bounds_of_entries(800, 0.99), (Bounds{800, 800, 800}));
	EXPECT_EQ(bounds_of_entries(1'800, 0.95), (Bounds{1'800, 1'800, 1'800}));
	EXPECT_EQ(bounds_of_entries(1'900, 0.95), (Bounds{1'900, 1'900, 1'901}));
}

TEST(Bounds, OfSketchesInAnyForm)
{
	for (const int p : {4, 10, 14}) {
		test::HllBuilding building({p, 3});
		int values = 0;
		for (const int n : {0, 1, 100, 127, 130, 2'000, 3'000, 50'000}) {
			for (; values < n; ++values)
				building.add(hash_word(static_cast<std::uint64_t>(values), 3));
			const test::Image stored = test::store_hll(building.sketch());
			const Bounds working = bounds(building.sketch(), 0.999);
			EXPECT_EQ(bounds(*test::open_hll(stored), 0.999), working);
			EXPECT_EQ(working.estimate, rounded(building.sketch().estimate()));
			EXPECT_TRUE(working.lower <= n && n <= working.upper) << p << ", " << n;
		}
	}
	test::Image parameterless(parameterless_size);
	store_parameterless(parameterless.data());
	EXPECT_EQ(bounds(*test::open_hll(parameterless), 0.95), (Bounds{0, 0, 0}));
}

// What the tests draw at once has the mean and the spread of what grows value by
// value. Root mean squares over T trials deviate by 1 / sqrt(2 T) each. Without a
// given number of values, a Poisson one would double the spread at half a value a
// register.
TEST(Bounds, DrawnSketchesAreLikeGrownOnes)
{
	constexpr int p = 10, trials = 2'000;
	for (const double n : {512., 2'000., 10'000.}) {
		test::Errors drawn, grown;
		Random random(5);
		for (int seed = 1; seed <= trials; ++seed) {
			test::Trial trial(p, seed);
			trial.advance_to(n);
			grown.add(trial.estimate() / n - 1);
			drawn.add(estimate_registers(Rising::draw(p, n, random), p) / n - 1);
		}
		EXPECT_NEAR(drawn.root_mean_square() / grown.root_mean_square(), 1, 5 / std::sqrt(1. * trials)) << n;
		EXPECT_NEAR(drawn.mean(), 0, 5 * drawn.noise()) << n;
	}
}

}  // namespace
}  // namespace bloomsketch::hll
