// Sizes and stored images are file format: what test/data/cuckoo_golden.py makes of
// the same parameters and values without this code. A change here breaks every stored
// filter, or keeps it from uniting with new ones.
#include <gtest/gtest.h>

#include "cuckoo_building.hpp"
#include "data.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

void check_size(const Line &line)
{
	const cuckoo::Geometry geometry = cuckoo::State::geometry_for({std::stoull(line.at(1)), std::stod(line.at(2)), 0});
	EXPECT_EQ(std::to_string(geometry.half) + " " + std::to_string(geometry.bits), line.at(3) + " " + line.at(4))
		<< line[1] << " at " << line[2];
}

void compare(const Image &image, const Line &line)
{
	char digest[32];
	std::snprintf(digest, sizeof(digest), "xxh3:%016llx",
	              static_cast<unsigned long long>(hash_bytes(image.data(), image.size(), 0)));
	EXPECT_EQ(image.size() <= 2'000 ? to_hex(image) : digest, line.at(6))
		<< line[0] << " " << line[1] << " " << line[2] << " " << line[3] << " " << line[4] << " " << line[5];
	EXPECT_EQ(accept_cuckoo(image), image);
}

void check_image(const Line &line)
{
	const std::int64_t seed = std::stoll(line.at(3));
	CuckooBuilding building(std::stoull(line.at(1)), std::stod(line.at(2)), seed);
	const std::uint64_t added = std::stoull(line.at(4)), removed = std::stoull(line.at(5));
	for (std::uint64_t value = 0; value < added; ++value)
		for (int copies = value % 5 == 0 ? 2 : 1; copies > 0; --copies)
			ASSERT_EQ(building.add(hash_word(value, seed)), cuckoo::Change::done);
	for (std::uint64_t value = 0; value < removed; ++value)
		ASSERT_TRUE(building.remove(hash_word(value, seed)));
	compare(building.image(), line);
}

void check_union(const Line &line)
{
	const std::int64_t seed = std::stoll(line.at(3));
	CuckooBuilding a(std::stoull(line.at(1)), std::stod(line.at(2)), seed), b(std::stoull(line.at(1)), std::stod(line.at(2)), seed);
	for (std::uint64_t value = 0; value < std::stoull(line.at(4)); ++value)
		ASSERT_EQ(a.add(hash_word(value, seed)), cuckoo::Change::done);
	for (std::uint64_t value = 0; value < std::stoull(line.at(5)); ++value)
		ASSERT_EQ(b.add(hash_word(100 + value, seed)), cuckoo::Change::done);
	compare(unite_cuckoo(a.image(), b.image()).value(), line);
}

TEST(Golden, Cuckoo)
{
	std::size_t sizes = 0, images = 0, unions = 0;
	for (const Line &line : read_data("cuckoo_golden.txt"))
		if (line[0] == "size")
			++sizes, check_size(line);
		else if (line[0] == "image")
			++images, check_image(line);
		else
			++unions, check_union(line);
	EXPECT_EQ(sizes, 233u);
	EXPECT_EQ(images, 19u);
	EXPECT_EQ(unions, 5u);
}

}  // namespace
}  // namespace bloomsketch::test
