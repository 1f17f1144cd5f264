// What estimates of the reference workload promise, with fixed seeds; make accuracy
// measures more of it.
#include <gtest/gtest.h>

#include "cms_workload.hpp"

namespace bloomsketch::cms {
namespace {

using test::build_cms;
using test::Image;
using test::store_cms;

struct OverCounts {
	std::uint64_t sum = 0, worst = 0, beyond = 0, under = 0;
};

OverCounts measure(const Sketch &sketch, const std::vector<std::uint64_t> &counts)
{
	OverCounts over;
	for (std::size_t value = 0; value < counts.size(); ++value) {
		const std::uint64_t estimate = sketch.count(hash_word(value, sketch.seed()));
		over.under += estimate < counts[value];
		if (estimate < counts[value])
			continue;
		over.sum += estimate - counts[value];
		over.worst = std::max(over.worst, estimate - counts[value]);
		over.beyond += estimate - counts[value] > sketch.error_bound();
	}
	return over;
}

const std::vector<std::uint64_t> &views()
{
	static const std::vector<std::uint64_t> counts = test::draw_workload(1);
	return counts;
}

TEST(CmsAccuracy, ReferenceWorkload)
{
	const test::CmsBuilding building = build_cms(views(), {});
	const Image stored = store_cms(building.sketch());
	EXPECT_LE(stored.size() + 4, 20'000u);
	test::CmsBuilding decoded(stored);
	const OverCounts over = measure(decoded.sketch(), views());
	EXPECT_EQ(building.sketch().total(), test::workload_draws);
	EXPECT_EQ(building.sketch().error_bound(), 2'000u);
	EXPECT_EQ(over.under, 0u);
	EXPECT_LE(static_cast<double>(over.sum) / test::workload_values, 205);
	EXPECT_LE(static_cast<double>(over.beyond) / test::workload_values, default_delta);
}

// An over-count is above 5,000 only where a value meets frequent ones in all five
// rows. Those with more than 5,000 views are 33, so a row has one of them at a value's
// column with chance 33 / 2,719 (several less frequent ones that sum up to it add
// little), and all five have with 2.6e-10: for any of 100,000 values and any of 300
// seeds less than 0.01.
TEST(CmsAccuracy, WorstOverManySeeds)
{
	for (std::int64_t seed = 1; seed <= 50; ++seed) {
		const OverCounts over = measure(build_cms(views(), {default_epsilon, default_delta, seed}).sketch(), views());
		EXPECT_EQ(over.under, 0u) << seed;
		EXPECT_LE(over.worst, 5'000u) << seed;
		EXPECT_LE(static_cast<double>(over.beyond) / test::workload_values, default_delta) << seed;
	}
}

// What is stored for few values, with the length word.
TEST(CmsAccuracy, SmallSketches)
{
	const auto size_of = [](std::size_t values) {
		return store_cms(build_cms(std::vector<std::uint64_t>(values, 1), {}).sketch()).size() + 4;
	};
	EXPECT_LE(size_of(1), 40u);
	EXPECT_LE(size_of(10), 100u);
	EXPECT_LE(size_of(100), 500u);
}

// A row's columns are independent of another's: of two values' pairs of columns as
// many are equal as chance says. With 1,000 values there are 499,500 pairs; for each
// pair of rows the number that agree in both is Poisson with mean 499,500 / 16^2 =
// 1,951 and sigma 44; the bound is 5 sigma.
TEST(CmsAccuracy, RowsAreIndependent)
{
	constexpr std::uint32_t width = 16, values = 1'000;
	for (std::uint32_t row = 0; row < 4; ++row)
		for (std::uint32_t other = row + 1; other < 5; ++other) {
			std::array<std::uint32_t, width * width> cells{};
			for (std::uint64_t value = 0; value < values; ++value) {
				const Hash64 hash = hash_word(value, 0);
				++cells[column_of(hash, row, width) * width + column_of(hash, other, width)];
			}
			double pairs = 0;
			for (const std::uint32_t cell : cells)
				pairs += cell * (cell - 1.) / 2;
			EXPECT_NEAR(pairs, 499'500. / (width * width), 5 * 44.2) << row << " and " << other;
		}
}

TEST(CmsInnerProduct, ExactAndOneSided)
{
	const auto rest = [](const test::CmsBuilding &building) { return store_cms(building.sketch()); };
	const auto product = [](const Image &a, const Image &b) {
		const auto result = test::product_of(*test::open_cms(a), *test::open_cms(b));
		EXPECT_EQ(test::product_of(*test::open_cms(b), *test::open_cms(a)), result);
		return result;
	};
	const Image none = rest(build_cms({}, {}));
	const Image three = rest(build_cms({3, 0, 5}, {})), other = rest(build_cms({0, 9, 7}, {}));
	EXPECT_EQ(product(none, none), 0);
	EXPECT_EQ(product(none, three), 0);
	EXPECT_EQ(product(test::from_hex("511000"), three), 0);
	EXPECT_EQ(product(three, other), 35) << "no two of three values collide in every row";
	EXPECT_EQ(product(three, three), 34);
	// Parts of the workload, in every form, against the truth.
	std::vector<std::uint64_t> a = views(), b = views();
	for (std::size_t i = 0; i < a.size(); ++i)
		(i % 3 == 0 ? a : b)[i] = i % 3 == 2 ? b[i] : 0;
	double truth = 0, total_a = 0, total_b = 0;
	for (std::size_t i = 0; i < a.size(); ++i) {
		truth += static_cast<double>(a[i]) * static_cast<double>(b[i]);
		total_a += static_cast<double>(a[i]);
		total_b += static_cast<double>(b[i]);
	}
	const test::CmsBuilding dense_a = build_cms(a, {}), dense_b = build_cms(b, {});
	const auto result = product(rest(dense_a), rest(dense_b));
	EXPECT_GE(static_cast<double>(*result), truth);
	EXPECT_LE(static_cast<double>(*result), truth + 0.001 * total_a * total_b);
	EXPECT_EQ(product(dense_a.image(), rest(dense_b)), result);
	EXPECT_EQ(product(dense_a.image(), dense_b.image()), result);
	EXPECT_EQ(product(three, dense_b.image()), product(three, rest(dense_b)));
	EXPECT_GE(*product(three, rest(dense_b)), static_cast<std::int64_t>(3 * b[0] + 5 * b[2]));
}

TEST(CmsInnerProduct, StopsAtTheLargestBigint)
{
	const auto one = [](std::uint64_t weight) { return store_cms(build_cms({weight}, {}).sketch()); };
	const auto product = [&](std::uint64_t a, std::uint64_t b) {
		const Image first = one(a), second = one(b);
		return test::product_of(*test::open_cms(first), *test::open_cms(second));
	};
	EXPECT_EQ(product(max_total, 1), INT64_MAX);
	EXPECT_EQ(product(max_total, 2), std::nullopt);
	EXPECT_EQ(product(max_total, max_total), std::nullopt);
	EXPECT_EQ(product(std::uint64_t{1} << 31, (std::uint64_t{1} << 32) - 1), std::int64_t{((std::uint64_t{1} << 32) - 1) << 31});
	EXPECT_EQ(product(std::uint64_t{1} << 32, std::uint64_t{1} << 31), std::nullopt);
}

}  // namespace
}  // namespace bloomsketch::cms
