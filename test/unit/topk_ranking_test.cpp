// The order of results, and what is guaranteed of them.
#include <gtest/gtest.h>

#include "topk_truth.hpp"

namespace bloomsketch::topk {
namespace {

using test::Image;
using test::open_topk;
using test::Random;
using test::topk_hash;
using test::topk_text;
using test::TopkBuilding;

// The certain count and as much of the error as its square is at most four times that.
std::uint64_t plausible(const Counter &counter)
{
	const std::uint64_t certain = counter.count - counter.error;
	std::uint64_t missed = 0;
	while (missed < counter.error && (missed + 1) * (missed + 1) <= 4 * certain)
		++missed;
	return certain + missed;
}

// The rows one by one, from sorted copies.
void check_ranking(const Image &stored)
{
	const Sketch sketch = *open_topk(stored);
	std::vector<Counter> by_plausible;
	sketch.each_counter([&](const Counter &counter) { by_plausible.push_back(counter); });
	std::sort(by_plausible.begin(), by_plausible.end(), [](const Counter &a, const Counter &b) {
		return std::pair(~plausible(a), a.hash) < std::pair(~plausible(b), b.hash);
	});
	const std::size_t used = by_plausible.size();
	const std::size_t limits[] = {0, 1, 9, 10, 11, used - (used > 0), used, used + 1, SIZE_MAX};
	for (const std::size_t limit : limits) {
		test::Memory memory;
		Ranking ranking;
		ASSERT_EQ(rank(sketch, limit, ranking, memory.allocator()), Malformed::no);
		ASSERT_EQ(ranking.rows().size(), std::min(limit, used));
		std::vector<Counter> sorted = by_plausible;
		const std::size_t chosen = std::min(std::max(limit, std::size_t{sketch.k()}), used);
		std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(chosen), [](const Counter &a, const Counter &b) {
			return std::pair(~a.count, a.hash) < std::pair(~b.count, b.hash);
		});
		std::uint64_t outside = sketch.minimum();
		for (std::size_t i = limit; i < used; ++i)
			outside = std::max(outside, sorted[i].count);
		for (std::size_t i = 0; i < ranking.rows().size(); ++i) {
			const Counter &row = ranking.rows()[i];
			ASSERT_EQ(row.hash, sorted[i].hash) << i;
			ASSERT_EQ(row.count, sorted[i].count);
			ASSERT_EQ(row.error, sorted[i].error);
			ASSERT_EQ(test::string_of(row.text), test::string_of(sorted[i].text));
			ASSERT_EQ(ranking.is_guaranteed(row), row.count - row.error >= outside);
		}
	}
}

TEST(TopkRanking, AsSorted)
{
	Random random(1);
	for (const std::uint64_t values : {0u, 1u, 2u, 50u, 999u, 1'000u, 5'000u})
		for (const std::uint64_t most_weight : {1u, 3u, 100'000u}) {
			TopkBuilding building({10, 0});
			for (std::uint64_t i = 0; i < values; ++i)
				building.add(topk_hash(i), 1 + random.below(most_weight), topk_text(i));
			check_ranking(building.store());
		}
}

TEST(TopkRanking, Guaranteed)
{
	TopkBuilding building({1, 0});
	building.add(1, 10, "a");
	building.add(2, 10, "b");
	building.add(3, 9, "c");
	const Image stored = building.store();
	test::Memory memory;
	Ranking ranking;
	for (const std::size_t limit : {1u, 2u, 3u}) {
		ASSERT_EQ(rank(*open_topk(stored), limit, ranking, memory.allocator()), Malformed::no);
		for (const Counter &row : ranking.rows())
			EXPECT_TRUE(ranking.is_guaranteed(row)) << "as often as the next one is often enough";
	}
	// All counters but these three are taken over once: their values came once for certain,
	// and any without a counter may have come twice.
	for (std::uint64_t i = 0; i < 997; ++i)
		building.add(topk_hash(i), 1, topk_text(i));
	for (std::uint64_t i = 997; i < 2 * 997; ++i)
		building.add(topk_hash(i), 1, topk_text(i));
	const Image full = building.store();
	ASSERT_EQ(rank(*open_topk(full), 1'000, ranking, memory.allocator()), Malformed::no);
	EXPECT_EQ(open_topk(full)->minimum(), 2u);
	for (std::size_t i = 0; i < 1'000; ++i)
		EXPECT_EQ(ranking.is_guaranteed(ranking.rows()[i]), i < 3) << i;
}

// What came once, when the least count was 1,000, has the largest count but one. Of the
// first ten it is none: ten others came 900 times for certain, and it is outside of what
// they are guaranteed against.
TEST(TopkRanking, SeldomButLate)
{
	TopkBuilding building({10, 0});
	for (std::uint64_t i = 0; i < 1'000; ++i)
		building.add(topk_hash(i), i < 10 ? 1'000 + i : 1'000, topk_text(i));
	TopkBuilding late({10, 0});
	for (std::uint64_t i = 0; i < 1'000; ++i)
		late.add(topk_hash(i < 10 ? i : i + 5'000), i < 10 ? 1 : 900, topk_text(i < 10 ? i : i + 5'000));
	const Image united = test::unite_topk(building.store(), late.store());
	test::Memory memory;
	Ranking ranking;
	ASSERT_EQ(rank(*open_topk(united), 10, ranking, memory.allocator()), Malformed::no);
	EXPECT_EQ(ranking.rows().size(), 10u);
	for (const Counter &row : ranking.rows())
		EXPECT_GE(row.count - row.error, 1'000u) << test::string_of(row.text);
}

}  // namespace
}  // namespace bloomsketch::topk
