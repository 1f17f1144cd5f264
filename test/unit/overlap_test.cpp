// What two sketches share; `make accuracy` measures the errors with more trials.
#include <set>

#include <gtest/gtest.h>

#include "hll/overlap.hpp"
#include "hll_building.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using test::HllBuilding;
using test::Image;
using test::Random;

Overlap overlap(const Sketch &a, const Sketch &b)
{
	std::vector<Entry> scratch(overlap_scratch(a, b));  // to the entry, for a sanitizer
	return hll::overlap(a, b, scratch);
}

// Overlap of stored copies, which has to be that of the working forms; with the
// roles exchanged, the parts are exchanged.
Overlap overlap_checked(const Sketch &a, const Sketch &b)
{
	const Image first = test::store_hll(a), second = test::store_hll(b);
	const Overlap result = overlap(*test::open_hll(first), *test::open_hll(second));
	EXPECT_EQ(overlap(a, b), result);
	EXPECT_EQ(overlap(*test::open_hll(first), b), result);
	EXPECT_EQ(overlap(a, *test::open_hll(second)), result);
	EXPECT_EQ(overlap(b, a), (Overlap{result.only_b, result.only_a, result.both, result.total, result.jaccard}));
	EXPECT_EQ(result.only_a + result.only_b + result.both, result.total);
	EXPECT_TRUE(result.only_a >= 0 && result.only_b >= 0 && result.both >= 0);
	EXPECT_TRUE(result.jaccard >= 0 && result.jaccard <= 1);
	return result;
}

// A sketch of the values from..to-1.
HllBuilding sketch_of(int p, std::uint64_t from, std::uint64_t to)
{
	HllBuilding building({p, 9});
	for (std::uint64_t value = from; value < to; ++value)
		building.add(hash_word(value, 9));
	return building;
}

std::uint8_t draw_rank(double load, int highest, Random &random)
{
	std::uint8_t rank = 0;
	for (const double reach = load / -std::log(random.unit()); rank < highest && std::ldexp(1, rank) < reach;)
		++rank;
	return rank;
}

// Registers of independent Poisson numbers of values with the means of `loads`.
JointHistogram draw(int p, const Parts &loads, Random &random)
{
	JointCounter counter;
	for (std::uint32_t i = 0; i < register_count(p); ++i) {
		const std::uint8_t both = draw_rank(loads.x, max_rank(p), random);
		const std::uint8_t a = std::max(both, draw_rank(loads.a, max_rank(p), random));
		const std::uint8_t b = std::max(both, draw_rank(loads.b, max_rank(p), random));
		counter.add(&a, &b, 1);
	}
	return counter.histogram();
}

TEST(Overlap, JointHistogramCountsPairs)
{
	constexpr std::array<std::uint8_t, 8> a{0, 1, 2, 2, 0, 7, 61, 61}, b{0, 2, 1, 2, 0, 61, 61, 7};
	JointCounter counter;
	counter.add(a.data(), b.data(), 5);
	counter.add(a.data() + 5, b.data() + 5, 3);
	const JointHistogram joint = counter.histogram();
	Histogram of_a{}, of_b{}, either{};
	count_ranks(a, of_a);
	count_ranks(b, of_b);
	for (std::size_t i = 0; i < a.size(); ++i)
		++either[std::max(a[i], b[i])];
	EXPECT_EQ(joint.a(), of_a);
	EXPECT_EQ(joint.b(), of_b);
	EXPECT_EQ(joint.either(), either);
	EXPECT_EQ(joint.equal[0], 2u);
	EXPECT_EQ(joint.equal[2], 1u);
	EXPECT_EQ(joint.equal[61], 1u);
	EXPECT_EQ(joint.a_low[1], 1u);
	EXPECT_EQ(joint.b_high[2], 1u);
	EXPECT_EQ(joint.a_high[2], 1u);
	EXPECT_EQ(joint.b_low[1], 1u);
}

// The chance that a register is at most at rank i in the first and j in the second.
long double chance_at_most(int i, int j, const Parts &loads, int p)
{
	if (i < 0 || j < 0)
		return 0;
	const auto z = [&](int rank) { return rank >= max_rank(p) ? 0 : std::ldexp(1.0L, -rank); };
	return std::exp(-(loads.a * z(i) + loads.b * z(j) + loads.x * std::max(z(i), z(j))));
}

// ... is exactly there.
long double chance_of(int i, int j, const Parts &loads, int p)
{
	return chance_at_most(i, j, loads, p) - chance_at_most(i - 1, j, loads, p) - chance_at_most(i, j - 1, loads, p) +
	       chance_at_most(i - 1, j - 1, loads, p);
}

JointHistogram one_pair(int i, int j)
{
	const std::uint8_t a = static_cast<std::uint8_t>(i), b = static_cast<std::uint8_t>(j);
	JointCounter counter;
	counter.add(&a, &b, 1);
	return counter.histogram();
}

TEST(Overlap, LikelihoodIsTheChanceOfEachPair)
{
	constexpr int p = 18;
	for (const Parts &loads : {Parts{0.3, 0.7, 0.2}, Parts{5, 100, 20}, Parts{3, 0.001, 4}, Parts{2e13, 1e13, 1e14}})
		for (int i = 0; i <= max_rank(p); ++i)
			for (int j = 0; j <= max_rank(p); ++j) {
				const long double chance = chance_of(i, j, loads, p);
				if (chance < 1e-12L)
					continue;  // differences of long doubles have no more digits
				const JointHistogram joint = one_pair(i, j);
				ASSERT_NEAR(detail::JointLikelihood(joint, p).at(loads).log, static_cast<double>(std::log(chance)), 1e-5)
					<< i << ", " << j;
			}
}

TEST(Overlap, SlopeAndCurvatureAreDerivatives)
{
	Random random(3);
	for (const Parts &loads : {Parts{0.3, 0.7, 0.2}, Parts{5, 100, 20}, Parts{30, 0.05, 4}, Parts{1e15, 2e15, 1e15}}) {
		const JointHistogram joint = draw(10, loads, random);
		const detail::JointLikelihood likelihood(joint, 10);
		const detail::Likelihood at = likelihood.at(loads);
		const std::array<std::array<double, 3>, 3> curvature{{{at.curvature.aa, at.curvature.ab, at.curvature.ax},
		                                                      {at.curvature.ab, at.curvature.bb, at.curvature.bx},
		                                                      {at.curvature.ax, at.curvature.bx, at.curvature.xx}}};
		for (std::size_t i = 0; i < 3; ++i) {
			constexpr std::array members{&Parts::a, &Parts::b, &Parts::x};
			const double step = loads.*members[i] * 1e-5;
			Parts below = loads, above = loads;
			below.*members[i] -= step;
			above.*members[i] += step;
			const detail::Likelihood low = likelihood.at(below), high = likelihood.at(above);
			const double scale = std::abs(at.log) / loads.*members[i];
			EXPECT_NEAR((high.log - low.log) / (2 * step), at.slope.*members[i], 1e-6 * scale) << i;
			for (std::size_t j = 0; j < 3; ++j)
				EXPECT_NEAR((high.slope.*members[j] - low.slope.*members[j]) / (2 * step), curvature[i][j],
				            1e-6 * scale / loads.*members[j]) << i << ", " << j;
		}
	}
}

// No point nearby is more likely, by more than what climbing leaves; numbers are
// those of single sketches within the noise.
void expect_highest(int p, const Parts &loads, Random &random)
{
	const JointHistogram joint = draw(p, loads, random);
	const double m = register_count(p);
	const Parts found = estimate_parts(joint, p);
	ASSERT_TRUE(found.a >= 0 && found.b >= 0 && found.x >= 0);
	if (estimate_registers(joint.a(), p) == 0 || estimate_registers(joint.b(), p) == 0)
		return;
	ASSERT_TRUE(std::isfinite(found.a + found.b + found.x));
	const detail::JointLikelihood likelihood(joint, p);
	const double highest = likelihood.at({found.a / m, found.b / m, found.x / m}).log;
	const double tolerance = 1e-5 + 1e-12 * std::abs(highest);
	const double size = (found.a + found.b + found.x) / m;
	for (int round = 0; round < 30; ++round) {
		const double reach = std::exp2(-static_cast<double>(random.below(12))) / std::sqrt(m) * size;
		const auto moved = [&](double from) { return std::max(1e-9 * size, from / m + reach * (2 * random.unit() - 1)); };
		const Parts other{moved(found.a), moved(found.b), moved(found.x)};
		ASSERT_LE(likelihood.at(other).log, highest + tolerance)
			<< "p " << p << ", " << loads.a << ", " << loads.b << ", " << loads.x;
	}
}

TEST(Overlap, FindsTheHighestLikelihood)
{
	Random random(4);
	for (const int p : {4, 8, 12})
		for (const double size : {0.2, 3., 1e3, 1e9})
			for (const double ratio : {1., 0.1, 0.001})
				for (const double shared : {0., 0.001, 0.1, 0.5, 0.999, 1.})
					for (int round = 0; round < (p == 4 ? 20 : 3); ++round)
						expect_highest(p, {size * (1 - shared * ratio), size * ratio * (1 - shared), size * ratio * shared}, random);
}

TEST(Overlap, ExchangedToTheLastBit)
{
	Random random(5);
	for (const int p : {4, 10, 14})
		for (int round = 0; round < 50; ++round) {
			const auto load = [&] { return std::exp2(20 * random.unit() - 5); };
			const JointHistogram joint = draw(p, {load(), load(), load()}, random);
			const Parts found = estimate_parts(joint, p);
			const Parts exchanged = estimate_parts({joint.b_low, joint.a_high, joint.b_high, joint.a_low, joint.equal}, p);
			ASSERT_EQ(found.a, exchanged.b);
			ASSERT_EQ(found.b, exchanged.a);
			ASSERT_EQ(found.x, exchanged.x);
		}
}

// At Jaccard 0.01 the error is less than half of what inclusion and exclusion
// gives: at p = 12, 1 / 2.9 for equal sets and 1 / 2.3 for 10 to 1. A ratio of two
// root mean squares over T trials deviates by less than 1 / sqrt(T); the mean by
// the root mean square over sqrt(T).
TEST(Overlap, BetterThanInclusionAndExclusion)
{
	constexpr int p = 12, trials = 1'000;
	constexpr double m = 1 << p;
	for (const double b : {1e6, 1e5}) {
		const double both = 0.01 / 1.01 * (1e6 + b);
		Random random(6);
		double ours = 0, plain = 0, bias = 0;
		for (int trial = 0; trial < trials; ++trial) {
			const JointHistogram joint = draw(p, {(1e6 - both) / m, (b - both) / m, both / m}, random);
			const double x = estimate_parts(joint, p).x - both;
			const double y = estimate_registers(joint.a(), p) + estimate_registers(joint.b(), p) -
			                 estimate_registers(joint.either(), p) - both;
			ours += x * x;
			plain += y * y;
			bias += x;
		}
		EXPECT_GT(std::sqrt(plain / ours), 2) << b;
		EXPECT_LT(std::abs(bias / trials), 5 * std::sqrt(ours / trials / trials)) << b;
	}
}

TEST(Overlap, EmptyAndParameterless)
{
	Image image(parameterless_size);
	store_parameterless(image.data());
	const Sketch none = *test::open_hll(image);
	const HllBuilding empty({12, 9}), few = sketch_of(12, 0, 100), many = sketch_of(12, 0, 10'000);
	EXPECT_EQ(overlap(none, none), (Overlap{0, 0, 0, 0, 0}));
	EXPECT_EQ(overlap_checked(empty.sketch(), empty.sketch()), (Overlap{0, 0, 0, 0, 0}));
	for (const HllBuilding *sketch : {&few, &many}) {
		const std::int64_t count = rounded(sketch->sketch().estimate());
		EXPECT_EQ(overlap_checked(sketch->sketch(), empty.sketch()), (Overlap{count, 0, 0, count, 0}));
		EXPECT_EQ(overlap(sketch->sketch(), none), (Overlap{count, 0, 0, count, 0}));
		EXPECT_EQ(overlap(none, sketch->sketch()), (Overlap{0, count, 0, count, 0}));
	}
}

TEST(Overlap, SparsePairsAreExact)
{
	const HllBuilding a = sketch_of(14, 0, 1'000), b = sketch_of(14, 600, 2'000), c = sketch_of(14, 5'000, 5'001);
	EXPECT_EQ(overlap_checked(a.sketch(), b.sketch()), (Overlap{600, 1'000, 400, 2'000, 0.2}));
	EXPECT_EQ(overlap_checked(a.sketch(), a.sketch()), (Overlap{0, 0, 1'000, 1'000, 1}));
	EXPECT_EQ(overlap_checked(a.sketch(), c.sketch()), (Overlap{1'000, 1, 0, 1'001, 0}));
	EXPECT_EQ(overlap_checked(c.sketch(), c.sketch()), (Overlap{0, 0, 1, 1, 1}));
}

// By index alone: ranks are told by few entries, and of values that differ.
TEST(Overlap, EntriesAreSharedByIndex)
{
	constexpr std::array<Entry, 4> a{1 << 6 | 3, 2 << 6, 5 << 6 | 7, 9 << 6}, b{1 << 6 | 4, 3 << 6, 5 << 6 | 7, 8 << 6};
	EXPECT_EQ(detail::count_shared(a, b), 2u);
	EXPECT_EQ(detail::count_shared(b, a), 2u);
	EXPECT_EQ(detail::count_shared(a, a), 4u);
	EXPECT_EQ(detail::count_shared(a, {}), 0u);
}

// 32,000 values each share n k / 2^26 = 15 indexes by chance: what is taken off is
// right within 5 * sqrt(15 + 8 + 8) = 28, what either number deviates by among it.
TEST(Overlap, ChanceIsTakenOffSparsePairs)
{
	const HllBuilding a = sketch_of(18, 0, 32'000);
	double sum = 0;
	constexpr int rounds = 20;
	for (std::uint64_t round = 1; round <= rounds; ++round) {
		const std::uint64_t from = round * 100'000;
		HllBuilding b = sketch_of(18, from, from + 32'000 - 1'000);
		for (std::uint64_t value = 0; value < 1'000; ++value)
			b.add(hash_word(value, 9));
		const Overlap result = overlap(a.sketch(), b.sketch());
		EXPECT_NEAR(static_cast<double>(result.both), 1'000, 30);
		EXPECT_NEAR(static_cast<double>(result.total), 63'000, 30);
		sum += static_cast<double>(result.both);
	}
	EXPECT_NEAR(sum / rounds, 1'000, 30 / std::sqrt(rounds) + 0.5);  // 15 more if it were not
}

// A sparse sketch's own number is kept, whatever the other.
TEST(Overlap, SparseAndDense)
{
	for (const int p : {10, 14}) {
		const std::uint64_t few = entry_limit(p);
		const HllBuilding dense = sketch_of(p, 0, 20 * few);
		for (const std::uint64_t from : {std::uint64_t{0}, 20 * few - few / 2, 20 * few}) {
			const HllBuilding sparse = sketch_of(p, from, from + few);
			ASSERT_TRUE(sparse.sketch().is_sparse());
			const Overlap result = overlap_checked(sparse.sketch(), dense.sketch());
			EXPECT_NEAR(static_cast<double>(result.only_a + result.both), static_cast<double>(few), 1);
			EXPECT_NEAR(static_cast<double>(result.total) / static_cast<double>(std::max(20 * few, from + few)), 1,
			            5 * standard_error(p));
		}
	}
}

// Jaccard and parts of real sketches, within 5 standard errors of the total.
TEST(Overlap, DensePairs)
{
	constexpr int p = 12;
	constexpr double n = 100'000;
	const HllBuilding a = sketch_of(p, 0, 100'000);
	for (const std::uint64_t from : {0, 1'000, 50'000, 99'000, 100'000})
		for (const std::uint64_t to : {100'000, 200'000}) {
			if (from == to)
				continue;
			const HllBuilding b = sketch_of(p, from, to);
			const Overlap result = overlap_checked(a.sketch(), b.sketch());
			const double both = n - static_cast<double>(from), total = static_cast<double>(std::max<std::uint64_t>(to, 100'000));
			const double margin = 5 * standard_error(p) * total;
			EXPECT_NEAR(static_cast<double>(result.both), both, margin);
			EXPECT_NEAR(static_cast<double>(result.only_a), static_cast<double>(from), margin);
			EXPECT_NEAR(static_cast<double>(result.only_b), static_cast<double>(to) - 100'000, margin);
			EXPECT_NEAR(result.jaccard, both / total, 5 * standard_error(p));
		}
}

TEST(Overlap, EqualContainedAndDisjointHaveNoRest)
{
	const HllBuilding a = sketch_of(14, 0, 100'000), part = sketch_of(14, 0, 30'000);
	const Overlap equal = overlap_checked(a.sketch(), a.sketch());
	EXPECT_EQ(equal.only_a, 0);
	EXPECT_EQ(equal.only_b, 0);
	EXPECT_NEAR(equal.jaccard, 1, 1e-9);
	EXPECT_NEAR(static_cast<double>(equal.both) / a.sketch().estimate(), 1, 0.002);  // two estimators
	EXPECT_EQ(overlap_checked(a.sketch(), part.sketch()).only_b, 0);
}

// Of bytes that open() takes and no values make: finite, and the sums still fit.
TEST(Overlap, AnyRegisters)
{
	for (const int p : {4, 18}) {
		std::vector<Image> images;
		for (const int rank : {0, 1, static_cast<int>(max_rank(p)), 63}) {
			HllBuilding building({p, 9}, {}, register_count(p));
			building.set_kind(test::test_kind);
			Image image = building.image();
			std::fill(image.end() - register_count(p), image.end(), static_cast<std::uint8_t>(rank));
			images.push_back(image);
			image.back() = 2;
			images.push_back(image);
		}
		images.push_back(sketch_of(p, 0, 2).image());
		images.push_back(sketch_of(p, 0, register_count(p)).image());
		for (const Image &first : images)
			for (const Image &second : images) {
				const Overlap result = overlap(*test::open_hll(first), *test::open_hll(second));
				ASSERT_TRUE(result.only_a >= 0 && result.only_b >= 0 && result.both >= 0 && result.total >= 0);
				ASSERT_TRUE(result.jaccard >= 0 && result.jaccard <= 1);
			}
		const Sketch zero = *test::open_hll(images[0]), some = *test::open_hll(images.back());
		const std::int64_t count = rounded(some.estimate());
		EXPECT_EQ(overlap(zero, some), (Overlap{0, count, 0, count, 0}));
		EXPECT_EQ(overlap(zero, zero), (Overlap{0, 0, 0, 0, 0}));
	}
}

}  // namespace
}  // namespace bloomsketch::hll
