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
using test::TopkMemory;

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
	TopkMemory memory;
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
			for (int round = 0; round < 800; ++round) {
				Image image = whole;
				// The front and the offsets more often than the rest.
				const std::size_t range = round % 3 == 0 ? 60 : image.size();
				for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes)
					image[random.below(std::min(range, image.size()))] = static_cast<std::uint8_t>(random.below(256));
				if (round % 10 == 0)
					image.resize(random.below(image.size() + 1));
				++(is_used(image) ? used : refused);
			}
		}
	EXPECT_GT(used, 500u);
	EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace bloomsketch::topk
