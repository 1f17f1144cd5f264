// The estimators, against their formulas in long double.
#include <cmath>

#include <gtest/gtest.h>

#include "hll/estimate.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

long double sigma_series(long double x)
{
	long double sum = x;
	for (int k = 1; k < 64; ++k)
		sum += std::pow(x, std::exp2(static_cast<long double>(k))) * std::exp2(static_cast<long double>(k - 1));
	return sum;
}

long double tau_series(long double x)
{
	long double sum = 1 - x;
	for (int k = 1; k < 120; ++k) {
		const long double gap = -std::expm1(std::log(x) * std::exp2(static_cast<long double>(-k)));
		sum -= gap * gap * std::exp2(static_cast<long double>(-k));
	}
	return sum / 3;
}

// Ertl 2017, section 4: the estimate is alpha m^2 over the sum of 2^-rank with
// the registers at either end of the scale replaced by what they stand for; here
// less the bias that the mean of an inverse has.
long double ertl(const Histogram &histogram, int p)
{
	const int q = 64 - p;
	const long double m = register_count(p);
	long double z = 0;
	for (int rank = 1; rank <= q; ++rank)
		z += std::ldexp(static_cast<long double>(histogram[static_cast<std::size_t>(rank)]), -rank);
	const long double zeros = histogram[0] / m;
	const long double full = histogram[static_cast<std::size_t>(q) + 1] / m;
	z += m * sigma_series(zeros);
	if (full > 0 && full < 1)
		z += std::ldexp(m * tau_series(1 - full), -q);
	const long double raw = m * m / (2 * std::log(2.0L) * z);
	return raw / (1 + (1.08L - 0.58L * std::exp(-0.385L * raw / m)) / m);
}

// The histogram of registers that n values, each even over all hashes, fill:
// with n / m of them a register's rank is at most k with chance (1 - 2^-k)^(n/m).
Histogram random_histogram(int p, double n, test::Random &random)
{
	std::array<double, 64> at_most;
	for (int k = 0; k < 64; ++k)
		at_most[static_cast<std::size_t>(k)] = std::exp(std::log1p(-std::exp2(-k)) * n / register_count(p));
	Histogram histogram{};
	for (std::uint32_t i = 0; i < register_count(p); ++i) {
		const double u = random.unit();
		std::size_t rank = 0;
		while (rank < max_rank(p) && at_most[rank] < u)
			++rank;
		++histogram[rank];
	}
	return histogram;
}

TEST(Estimate, SigmaIsItsSeries)
{
	EXPECT_EQ(detail::sigma(0), 0);
	EXPECT_EQ(detail::sigma(1), HUGE_VAL);
	for (const double x : {1e-9, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 - 0x1p-14, 1 - 0x1p-18})
		EXPECT_NEAR(detail::sigma(x) / static_cast<double>(sigma_series(x)), 1, 1e-11) << x;
}

TEST(Estimate, TauIsItsSeries)
{
	for (const double x : {0x1p-18, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 - 0x1p-14, 1 - 0x1p-18})
		EXPECT_NEAR(detail::tau(x) / static_cast<double>(tau_series(x)), 1, 1e-9) << x;
	EXPECT_EQ(detail::tau(0), 0);
	EXPECT_EQ(detail::tau(1), 0);
}

TEST(Estimate, RegistersFollowErtl)
{
	test::Random random(1);
	for (const int p : {4, 5, 10, 14, 18})
		for (double n = 1; n < 1e22; n *= 7) {
			const Histogram histogram = random_histogram(p, n, random);
			const double expected = static_cast<double>(ertl(histogram, p));
			const double estimate = estimate_registers(histogram, p);
			ASSERT_NEAR(std::isinf(expected) ? estimate == expected : estimate / expected, 1, 1e-9) << p << ", " << n;
		}
}

TEST(Estimate, NeverNaNAtTheEnds)
{
	for (int p = min_precision; p <= max_precision; ++p) {
		const std::uint32_t m = register_count(p);
		Histogram histogram{};
		histogram[0] = m;
		EXPECT_EQ(estimate_registers(histogram, p), 0);
		for (int rank = 1; rank <= max_rank(p); ++rank)
			for (const std::uint32_t count : {1u, m / 2, m - 1, m}) {
				Histogram mixed{};
				mixed[0] = m - count;
				mixed[static_cast<std::size_t>(rank)] = count;
				const double estimate = estimate_registers(mixed, p);
				ASSERT_GT(estimate, 0) << "rank " << rank << ", count " << count;  // false for NaN
				ASSERT_EQ(std::isinf(estimate), rank == max_rank(p) && count == m);
			}
	}
}

// More in a register never means less.
TEST(Estimate, GrowsWithEveryRegister)
{
	test::Random random(2);
	for (const int p : {4, 10, 14})
		for (int round = 0; round < 100; ++round) {
			Histogram histogram = random_histogram(p, std::exp2(random.below(40)), random);
			const double before = estimate_registers(histogram, p);
			const std::size_t rank = random.below(max_rank(p));
			if (histogram[rank] == 0)
				continue;
			--histogram[rank];
			++histogram[rank + 1];
			ASSERT_GT(estimate_registers(histogram, p), before);
		}
}

TEST(Estimate, EntriesAreCountedLinearly)
{
	EXPECT_EQ(estimate_entries(0), 0);
	const long double cells = 1u << 26;
	for (std::uint32_t count = 1; count <= entry_limit(max_precision); ++count) {
		const double estimate = estimate_entries(count);
		ASSERT_NEAR(estimate, static_cast<double>(-cells * std::log(1 - count / cells)), 1e-6);
		// As integers the first 8192 are exact: c^2 / 2^27 < 1/2.
		ASSERT_TRUE(count > 8'191 || std::llround(estimate) == count) << count;
	}
}

TEST(Estimate, StandardError)
{
	EXPECT_DOUBLE_EQ(standard_error(14), 0.008125);
	EXPECT_DOUBLE_EQ(standard_error(4), 0.26);
}

}  // namespace
}  // namespace bloomsketch::hll
