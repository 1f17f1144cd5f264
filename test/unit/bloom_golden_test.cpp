// Sizes and stored images are file format: what test/data/bloom_golden.py makes
// of the same parameters and values without this code. A change here breaks every
// stored filter, or keeps it from uniting with new ones.
#include <gtest/gtest.h>

#include "bloom_building.hpp"
#include "data.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

void check_size(const Line &line)
{
	const double rate = std::stod(line.at(2));
	const bloom::Sizing sizing = bloom::size_for(std::stoull(line.at(1)), rate, bloom::State::most_blocks(rate));
	EXPECT_EQ(std::to_string(sizing.blocks) + " " + std::to_string(sizing.hashes), line.at(3) + " " + line.at(4))
		<< line[1] << " at " << line[2];
}

void check_image(const Line &line)
{
	const auto form = line.at(1) == "rest" ? bloom::Form::rest : bloom::Form::building;
	const std::int64_t seed = std::stoll(line.at(4));
	BloomBuilding building(std::stoull(line.at(2)), std::stod(line.at(3)), seed, form);
	const std::uint64_t count = std::stoull(line.at(5));
	for (std::uint64_t value = 0; value < count; ++value)
		building.add(hash_word(value, seed));
	const Image &image = building.image();
	char digest[32];
	std::snprintf(digest, sizeof(digest), "xxh3:%016llx",
	              static_cast<unsigned long long>(hash_bytes(image.data(), image.size(), 0)));
	EXPECT_EQ(image.size() <= 2'000 ? to_hex(image) : digest, line.at(6))
		<< line[1] << " " << line[2] << " " << line[3] << " " << line[4] << " " << line[5];
	EXPECT_EQ(accept_bloom(image), store_bloom(image));
}

TEST(Golden, Bloom)
{
	std::size_t sizes = 0, images = 0;
	for (const Line &line : read_data("bloom_golden.txt"))
		if (line[0] == "size")
			++sizes, check_size(line);
		else if (line[0] == "image")
			++images, check_image(line);
	EXPECT_EQ(sizes, 133u);
	EXPECT_EQ(images, 23u);
}

}  // namespace
}  // namespace bloomsketch::test
