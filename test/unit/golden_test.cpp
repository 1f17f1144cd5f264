// Stored images are file format: what test/data/hll_golden.py makes of the same
// values without this code. A change here breaks every stored sketch.
#include <gtest/gtest.h>

#include "data.hpp"
#include "hll_building.hpp"

namespace bloomsketch::test {
namespace {

Image build(const std::string &form, int precision, std::int64_t seed, std::uint64_t count)
{
	HllBuilding building({precision, seed});
	for (std::uint64_t value = 0; value < count; ++value)
		building.add(hash_word(value, seed));
	return form == "working" ? building.image() : store_hll(building.sketch());
}

TEST(Golden, HllImages)
{
	std::size_t tried = 0;
	for (const auto &line : read_data("hll_golden.txt")) {
		const Image image = build(line.at(0), std::stoi(line.at(1)), std::stoll(line.at(2)), std::stoull(line.at(3)));
		ASSERT_EQ(to_hex(image), line.at(4)) << line[0] << " " << line[1] << " " << line[2] << " " << line[3];
		ASSERT_EQ(accept_hll(from_hex(line[4])), store_hll(image));
		++tried;
	}
	EXPECT_EQ(tried, 42u);
}

TEST(Golden, ParameterlessHll)
{
	Image image(hll::parameterless_size);
	hll::store_parameterless(image.data());
	EXPECT_EQ(to_hex(image), "1110000000");
}

}  // namespace
}  // namespace bloomsketch::test
