// Stored images are file format: what test/data/counting_bloom_golden.py makes of the
// same parameters and values without this code. A change here breaks every stored
// filter.
#include <gtest/gtest.h>

#include "counting_bloom_building.hpp"
#include "data.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

std::uint64_t copies_of(std::uint64_t value, const std::string &what)
{
	return what == "ones" ? 1 : what == "copies" ? value % 5 + 1 : 20;
}

std::string shown(const Image &image)
{
	char digest[32];
	std::snprintf(digest, sizeof(digest), "xxh3:%016llx",
	              static_cast<unsigned long long>(hash_bytes(image.data(), image.size(), 0)));
	return image.size() <= 2'000 ? to_hex(image) : digest;
}

void check_image(const Line &line)
{
	const std::int64_t seed = std::stoll(line.at(3));
	CountingBuilding building(std::stoull(line.at(1)), std::stod(line.at(2)), seed);
	const std::uint64_t count = std::stoull(line.at(5));
	for (std::uint64_t value = 0; value < count; ++value)
		for (std::uint64_t copy = 0; copy < copies_of(value, line.at(4)); ++copy)
			building.add(hash_word(value, seed));
	const Image &working = building.image(), stored = building.stored();
	EXPECT_EQ(shown(line.at(0) == "rest" ? stored : working), line.at(6))
		<< line[0] << " " << line[1] << " " << line[2] << " " << line[3] << " " << line[4] << " " << line[5];
	EXPECT_EQ(accept_counting(working), stored);
	EXPECT_EQ(accept_counting(stored), stored);
	Image added = CountingBuilding(std::stoull(line.at(1)), std::stod(line.at(2)), seed).stored();
	for (std::uint64_t value = 0; value < count; ++value)
		for (std::uint64_t copy = 0; copy < copies_of(value, line.at(4)); ++copy)
			added = add_counting(added, hash_word(value, seed));
	EXPECT_EQ(added, stored) << "one by one";
}

TEST(Golden, CountingBloom)
{
	std::size_t images = 0;
	for (const Line &line : read_data("counting_bloom_golden.txt"))
		++images, check_image(line);
	EXPECT_EQ(images, 35u);
}

}  // namespace
}  // namespace bloomsketch::test
