// Geometries and stored images are file format: what test/data/cms_golden.py makes
// of the same parameters and hashes without this code. A change here breaks every
// stored sketch, or keeps it from uniting with new ones.
#include <gtest/gtest.h>

#include "cms_building.hpp"
#include "data.hpp"
#include "random.hpp"

namespace bloomsketch::test {
namespace {

using Line = std::vector<std::string>;

// std::stod refuses the smallest numbers.
double number(const std::string &word) { return std::strtod(word.c_str(), nullptr); }

void check_geometry(const Line &line)
{
	const cms::Geometry geometry = cms::geometry_for({number(line.at(1)), number(line.at(2))});
	const cms::Geometry shown = geometry.fits() ? geometry : cms::Geometry{};
	EXPECT_EQ(std::to_string(shown.width) + " " + std::to_string(shown.depth), line.at(3) + " " + line.at(4))
		<< line[1] << " " << line[2];
}

std::uint64_t weight(const std::string &what, std::uint64_t i)
{
	return what == "ones" ? 1 : what == "squares" ? i * i : what == "powers" ? std::uint64_t{1} << i % 56 : 100'000 / i;
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

// Added one by one, and united from two halves at rest.
void check_image(const Line &line)
{
	const cms::Parameters parameters{number(line.at(2)), number(line.at(3)), std::stoll(line.at(4))};
	CmsBuilding building(parameters), half(parameters);
	if (line.at(1) != "rest")
		building.make_dense();
	const std::uint64_t count = std::stoull(line.at(6));
	for (std::uint64_t i = 1; i <= count; ++i)
		building.add(Random::mix(i), weight(line.at(5), i));
	const std::string where = line[1] + " " + line[2] + " " + line[3] + " " + line[4] + " " + line[5] + " " + line[6];
	const Image stored = store_cms(building.sketch());
	EXPECT_EQ(shown(line[1] == "rest" ? stored : building.image()), line.at(7)) << where;
	EXPECT_EQ(accept_cms(building.image()), stored) << where;
	EXPECT_EQ(accept_cms(stored), stored) << where;
	for (std::uint64_t i = 1; i <= count; i += 2)
		half.add(Random::mix(i), weight(line.at(5), i));
	CmsBuilding other(parameters);
	for (std::uint64_t i = 2; i <= count; i += 2)
		other.add(Random::mix(i), weight(line.at(5), i));
	EXPECT_EQ(store_cms(unite_cms(store_cms(half.sketch()), store_cms(other.sketch()))), stored) << where;
}

TEST(Golden, Cms)
{
	std::size_t geometries = 0, images = 0;
	for (const Line &line : read_data("cms_golden.txt"))
		if (line[0] == "geometry")
			++geometries, check_geometry(line);
		else
			++images, check_image(line);
	EXPECT_EQ(geometries, 44u);
	EXPECT_EQ(images, 44u);
}

}  // namespace
}  // namespace bloomsketch::test
