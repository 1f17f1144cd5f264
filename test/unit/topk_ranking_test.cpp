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

// The rows one by one, from a sorted copy.
void check_ranking(const Image &stored)
{
	const Sketch sketch = *open_topk(stored);
	std::vector<Counter> sorted;
	sketch.each_counter([&](const Counter &counter) { sorted.push_back(counter); });
	std::sort(sorted.begin(), sorted.end(), [](const Counter &a, const Counter &b) {
		return std::pair(~a.count, a.hash) < std::pair(~b.count, b.hash);
	});
	const std::size_t used = sorted.size();
	const std::size_t limits[] = {0, 1, 10, used - (used > 0), used, used + 1, SIZE_MAX};
	for (const std::size_t limit : limits) {
		test::TopkMemory memory;
		Ranking ranking;
		ASSERT_EQ(rank(sketch, limit, ranking, memory.allocator()), Malformed::no);
		ASSERT_EQ(ranking.rows().size(), std::min(limit, used));
		const std::uint64_t outside = limit < used ? sorted[limit].count : sketch.minimum();
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
	test::TopkMemory memory;
	Ranking ranking;
	for (const std::size_t limit : {1u, 2u, 3u}) {
		ASSERT_EQ(rank(*open_topk(stored), limit, ranking, memory.allocator()), Malformed::no);
		for (const Counter &row : ranking.rows())
			EXPECT_TRUE(ranking.is_guaranteed(row)) << "as often as the next one is often enough";
	}
	// Taken over once, each counter but these is off by one, and so is none of them.
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

}  // namespace
}  // namespace bloomsketch::topk
