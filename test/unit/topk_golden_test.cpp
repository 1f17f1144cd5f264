// Stored images are file format: what test/data/topk_golden.py makes of the same values
// without this code. A change here breaks every stored sketch.
#include <gtest/gtest.h>

#include "data.hpp"
#include "topk_truth.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

std::uint64_t weight(const std::string &what, std::uint64_t i)
{
	return what == "ones"      ? 1
	       : what == "squares" ? i * i
	       : what == "powers"  ? std::uint64_t{1} << i % 56
	       : what == "rank"    ? 1'000'000 / i
	                           : (Random::mix(i) >> 32) + 1;
}

std::string text(std::uint64_t i)
{
	std::string text = "item " + std::to_string(i);
	for (std::uint64_t more = i % 4; more > 0; --more)
		text += "\xC3\xA9";
	return i % 11 == 0 ? "" : text;
}

std::string other_text(std::uint64_t i)
{
	return i % 2 != 0 ? "an item " + std::to_string(i) : "item " + std::to_string(i) + " once more";
}

std::string shown(const Image &image)
{
	if (image.size() <= 2'000)
		return to_hex(image);
	std::uint64_t sum = 0;
	for (std::size_t at = 0; at < image.size(); ++at)
		sum += (at + 1) * image[at];
	return std::to_string(image.size()) + ":" + std::to_string(sum);
}

Image build(const Line &line, std::uint64_t first, std::uint64_t step)
{
	TopkBuilding building({static_cast<std::uint32_t>(std::stoul(line.at(2))), std::stoll(line.at(3))}, ValueType::text);
	for (std::uint64_t i = first; i <= std::stoull(line.at(5)); i += step) {
		EXPECT_EQ(building.add(Random::mix(i), weight(line.at(4), i), text(i)), topk::Change::done);
		if (i % 3 == 0) {
			EXPECT_EQ(building.add(Random::mix(i), 1, other_text(i)), topk::Change::done);
		}
	}
	return building.store();
}

TEST(Golden, Topk)
{
	std::size_t images = 0;
	for (const Line &line : read_data("topk_golden.txt")) {
		const Image stored = line.at(1) == "rest" ? build(line, 1, 1) : unite_topk(build(line, 1, 2), build(line, 2, 2));
		EXPECT_EQ(shown(stored), line.at(6)) << line[1] << " " << line[2] << " " << line[3] << " " << line[4] << " " << line[5];
		EXPECT_EQ(accept_topk(stored), stored);
		++images;
	}
	EXPECT_EQ(images, 53u);
}

}  // namespace
}  // namespace bloomsketch::test
