// Filters that size themselves and grow, byte for byte what test/data/bloom_golden.py makes
// of the same values without this code.
#include <map>

#include <gtest/gtest.h>

#include "bloom_sized_building.hpp"
#include "data.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

std::string shown(const Image &image)
{
	char digest[32];
	std::snprintf(digest, sizeof(digest), "xxh3:%016llx",
	              static_cast<unsigned long long>(hash_bytes(image.data(), image.size(), 0)));
	return image.size() <= 2'000 ? to_hex(image) : digest;
}

void add_until(SizedBuilding &building, std::uint64_t first, std::uint64_t end, std::int64_t seed)
{
	for (std::uint64_t value = first; value < end; ++value)
		ASSERT_EQ(building.add(hash_word(value, seed)), bloom::Growth::done);
}

// What the line says, built here.
Image build(const Line &line)
{
	const double rate = std::stod(line.at(1));
	const std::int64_t seed = std::stoll(line.at(2));
	const std::uint64_t count = std::stoull(line[line.size() - 2]), number = std::stoull(line.at(3));
	if (line[0] == "collected" || line[0] == "grown") {
		SizedBuilding building(rate, seed);
		add_until(building, 0, number, seed);
		if (line[0] == "collected")
			return building.image();
		building = SizedBuilding(store_sized(building.image()));
		add_until(building, number, count, seed);
		return building.image();
	}
	SizedBuilding building = SizedBuilding::oversized(rate, number, hash_word(0, seed), seed);
	add_until(building, 1, count, seed);
	return line[0] == "oversized" ? building.image() : store_sized(building.image());
}

TEST(Golden, BloomSized)
{
	std::map<std::string, int> lines;
	for (const Line &line : read_data("bloom_golden.txt")) {
		if (line[0] == "size" || line[0] == "image")
			continue;
		++lines[line[0]];
		const Image image = build(line);
		EXPECT_EQ(shown(image), line.back()) << line[0] << " " << line[1] << " " << line[2] << " " << line[3];
		EXPECT_EQ(accept_sized(image), store_sized(image));
	}
	EXPECT_EQ(lines, (std::map<std::string, int>{{"collected", 13}, {"grown", 9}, {"oversized", 4}, {"folded", 4}}));
}

}  // namespace
}  // namespace bloomsketch::test
