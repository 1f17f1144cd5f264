// A state that was left in a table and damaged there is put to rest, or refused, without a
// look beyond its image; so is what comes of it. (A sanitizer sees such a look.)
#include <gtest/gtest.h>

#include "topk_building.hpp"
#include "random.hpp"

namespace bloomsketch::topk {
namespace {

using test::Image;
using test::Random;
using test::TopkBuilding;
using test::Memory;

Image state_of(std::uint32_t values, std::int64_t seed)
{
	TopkBuilding building({1, seed});
	for (std::uint32_t i = 1; i <= values; ++i)
		building.add(0x9E3779B97F4A7C15 * i, i, "value " + std::string(i % 7, 'x'));
	return building.image();
}

// What is read of it later: at rest, listed, copied and united.
bool is_used(Bytes image)
{
	Memory memory;
	Sketch sketch;
	if (Sketch::open(at_rest(image, memory.allocator()), sketch) != Malformed::no)
		return false;
	Ranking ranking;
	State copied;
	MutableBytes united;
	rank(sketch, 3, ranking, memory.allocator());
	copy(sketch, copied, memory.allocator());
	unite(sketch, sketch, united, memory.allocator());
	return true;
}

TEST(TopkDamaged, StatesOfTables)
{
	Random random(1);
	std::size_t used = 0, refused = 0;
	for (const std::uint32_t values : {1u, 3u, 40u, 1'000u, 1'500u})
		for (const std::int64_t seed : {0, 5}) {
			const Image whole = state_of(values, seed);
			ASSERT_TRUE(is_used(whole));
			WorkingHead head;
			ASSERT_TRUE(head.read(whole));
			for (int round = 0; round < 800; ++round) {
				Image image = whole;
				// The front, and where the texts are, more often than the rest.
				const auto [first, end] = round % 3 == 0   ? std::pair(std::size_t{0}, std::min<std::size_t>(60, image.size()))
				                          : round % 3 == 1 ? std::pair(head.offsets_at(), head.arena_at())
				                                           : std::pair(std::size_t{0}, image.size());
				for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
					image[first + random.below(end - first)] = static_cast<std::uint8_t>(random.below(256));
				if (round % 10 == 0)
					image.resize(random.below(image.size() + 1));
				++(is_used(image) ? used : refused);
			}
		}
	EXPECT_GT(used, 500u);
	EXPECT_GT(refused, 500u);
}

// The last counter's text may end where the arena's records do, not a byte later.
TEST(TopkDamaged, TextsOutside)
{
	for (const std::uint32_t values : {1u, 40u, 1'000u}) {
		const Image whole = state_of(values, 0);
		WorkingHead head;
		ASSERT_TRUE(head.read(whole));
		const auto length = load_le<std::uint16_t>(whole.data() + head.lengths_at() + (values - 1) * 2);
		const auto arena_use = load_le<std::uint32_t>(whole.data() + head.arena_use_at());
		for (const std::uint32_t beyond : {0u, 1u, UINT32_MAX - arena_use}) {
			Image image = whole;
			store_le(image.data() + head.offsets_at() + (values - 1) * 4, arena_use - 4 - length + beyond);
			EXPECT_EQ(is_used(image), beyond == 0) << values << ", " << beyond;
		}
		Image image = whole;
		store_le(image.data() + head.lengths_at() + (values - 1) * 2, std::uint16_t{UINT16_MAX});
		EXPECT_FALSE(is_used(image)) << values;
	}
}

}  // namespace
}  // namespace bloomsketch::topk
