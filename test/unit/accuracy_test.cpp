// How far estimates are off, in a few fixed trials; `make accuracy` measures the
// same with many more. Bounds are 5 standard deviations of what is measured (one
// honest run in 1,700,000 would fail), on top of what is allowed.
#include <gtest/gtest.h>

#include "../bench/trial.hpp"

namespace bloomsketch::test {
namespace {

struct Measured {
	Errors plain, controlled;
};

// Relative errors of `trials` dense sketches at each of these numbers of values.
std::vector<Measured> measure(int precision, int trials, const std::vector<double> &numbers)
{
	std::vector<Measured> measured(numbers.size());
	std::vector<Control> controls;
	for (const double n : numbers)
		controls.emplace_back(precision, n);
	for (int seed = 1; seed <= trials; ++seed) {
		Trial trial(precision, seed);
		for (std::size_t i = 0; i < numbers.size(); ++i) {
			trial.advance_to(numbers[i]);
			EXPECT_FALSE(trial.is_sparse());
			const double estimate = trial.estimate();
			measured[i].plain.add(estimate / numbers[i] - 1);
			measured[i].controlled.add((estimate + controls[i].correction(trial.histogram())) / numbers[i] - 1);
		}
	}
	return measured;
}

// What is left of the bias, which would be 1.08 / m uncorrected. The control
// variate leaves a noise of 1.5 / m / sqrt(trials), so that this can be seen.
constexpr double allowed_bias = 0.05;

TEST(Accuracy, BiasIsTakenAway)
{
	for (const int p : {10, 12}) {
		const std::uint32_t m = hll::register_count(p);
		for (const Measured &at : measure(p, 400, {m / 4., m * 1., m * 3., m * 10., m * 100.})) {
			EXPECT_LE(std::abs(at.controlled.mean()), allowed_bias / m + 5 * at.controlled.noise());
			EXPECT_LE(std::abs(at.plain.mean()), allowed_bias / m + 5 * at.plain.noise());
			EXPECT_LT(at.controlled.noise(), at.plain.noise() / 4) << "the control variate is of no use";
		}
	}
}

// The root mean square over T trials has a relative deviation of 1 / sqrt(2 T).
TEST(Accuracy, SpreadIsTheStandardError)
{
	constexpr int trials = 1'000;
	const double margin = 5 / std::sqrt(2. * trials);
	const std::vector<Measured> measured = measure(12, trials, {4'096 * 3., 4'096 * 50., 4'096 * 300.});
	for (const Measured &at : measured)
		EXPECT_LE(at.plain.root_mean_square(), 1.03 * hll::standard_error(12) * (1 + margin));
	EXPECT_GE(measured.back().plain.root_mean_square(), 0.97 * hll::standard_error(12) * (1 - margin));
}

// Linear counting over 2^26 cells deviates by 1 / sqrt(2 * 2^26) = 0.009 %, and is
// 5 * 0.009 % / sqrt(trials) at most from 0 on the average.
TEST(Accuracy, SparseIsNearlyExact)
{
	for (const int p : {14, 18}) {
		Errors errors;
		const double n = hll::entry_limit(p);
		for (int seed = 1; seed <= 100; ++seed) {
			Trial trial(p, seed);
			trial.advance_to(n);
			ASSERT_TRUE(trial.is_sparse());
			errors.add(trial.estimate() / n - 1);
		}
		EXPECT_LE(errors.root_mean_square(), 0.0002);
		EXPECT_LE(std::abs(errors.mean()), 5 * 0.00009 / std::sqrt(100.));
	}
}

// Where a sketch turns dense its mean estimate stays.
TEST(Accuracy, ContinuousWhereTheFormChanges)
{
	for (const int p : {10, 14}) {
		const double limit = hll::entry_limit(p);
		const Control control(p, limit + 17);
		Errors step;
		for (int seed = 1; seed <= 300; ++seed) {
			Trial trial(p, seed);
			trial.advance_to(limit);
			ASSERT_TRUE(trial.is_sparse());
			const double below = trial.estimate() / limit;
			trial.advance_to(limit + 17);
			ASSERT_FALSE(trial.is_sparse());
			step.add((trial.estimate() + control.correction(trial.histogram())) / (limit + 17) - below);
		}
		EXPECT_LE(std::abs(step.mean()), allowed_bias / hll::register_count(p) + 5 * step.noise());
	}
}

// The simulation against the exact distribution: a register's rank after n values
// is at most k with chance (1 - 2^-k / m)^n; counts of registers deviate by less
// than the binomial sqrt(E C_k).
TEST(Accuracy, SimulatedHistogramsAreExact)
{
	constexpr int p = 8, trials = 2'000;
	constexpr double m = 1 << p;
	for (const double n : {m, 20 * m, 1e6}) {
		std::array<double, 64> sums{};
		for (int seed = 1; seed <= trials; ++seed) {
			Trial trial(p, seed);
			trial.advance_to(n);
			for (std::size_t rank = 0; rank < 64; ++rank)
				sums[rank] += trial.histogram()[rank];
		}
		double below = 0;
		for (int rank = 0; rank <= hll::max_rank(p); ++rank) {
			const double at_most = rank == hll::max_rank(p) ? 1 : std::exp(n * std::log1p(-std::exp2(-rank) / m));
			const double expected = trials * m * (at_most - below);
			ASSERT_NEAR(sums[static_cast<std::size_t>(rank)], expected, 5 * std::sqrt(expected) + 1)
				<< "rank " << rank << ", n " << n;
			below = at_most;
		}
	}
}

// No simulation: 100 sketches of 100,000 hashed values each.
TEST(Accuracy, RealSketchesAgree)
{
	Errors errors;
	for (int seed = 1; seed <= 100; ++seed) {
		HllBuilding building({12, seed});
		for (std::uint64_t value = 0; value < 100'000; ++value)
			building.add(hash_word(value, seed));
		errors.add(building.sketch().estimate() / 100'000 - 1);
	}
	EXPECT_LE(std::abs(errors.mean()), allowed_bias / 4'096 + 5 * errors.noise());
	EXPECT_NEAR(errors.root_mean_square() / hll::standard_error(12), 1, 5 / std::sqrt(200.));
}

}  // namespace
}  // namespace bloomsketch::test
