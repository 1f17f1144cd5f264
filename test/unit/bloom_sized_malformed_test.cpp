// Images of the forms 2, 3 and 4 that open() or check() refuse, one per reason.
#include <cmath>

#include <gtest/gtest.h>

#include "bloom_sized_building.hpp"

namespace bloomsketch::bloom {
namespace {

using test::Image;

Malformed reason(const Image &image)
{
	test::Arena arena;
	Bytes accepted;
	if (!sizes_itself(image))
		return Malformed::unknown_form;
	const Malformed at_the_door = try_open(image);
	const Malformed reason = accept(image, accepted, test::size_of, std::ref(arena));
	if (at_the_door != Malformed::no) {
		EXPECT_EQ(reason, at_the_door);
	}
	// The head alone says the same.
	if (!is_in_form(image, Form::collecting)) {
		LayersHead head;
		EXPECT_EQ(head.read(Bytes(image).first(std::min(image.size(), largest_layers_head)), image.size()), at_the_door);
	}
	return reason;
}

template <class T>
Image with(Image image, std::size_t at, T value)
{
	store_le(image.data() + at, value);
	return image;
}
Image with_byte(const Image &image, std::size_t at, int value)
{
	return with(image, at, static_cast<std::uint8_t>(value));
}
Image with_rate(const Image &image, double rate)
{
	return with(image, 3, std::bit_cast<std::uint64_t>(rate));
}

Image resized(Image image, std::size_t size)
{
	image.resize(size);
	return image;
}

Image collecting(std::uint64_t count)
{
	test::SizedBuilding building(0.01);
	for (std::uint64_t value = 0; value < count; ++value)
		EXPECT_EQ(building.add(hash_word(value, 0)), Growth::done);
	return building.image();
}

Image oversized() { return test::SizedBuilding::oversized(0.01, 12, hash_word(0, 0)).image(); }

Image two_layers()
{
	test::SizedBuilding building(test::store_sized(collecting(3)));
	EXPECT_EQ(building.add(hash_word(77, 0)), Growth::done);
	return building.image();
}

// Offsets without a seed.
constexpr std::size_t kind_at = 2, count_at = 11;
constexpr std::size_t capacity_at = 12, added_at = 20, blocks_at = 28, hashes_at = 36, block_size_at = 37;
constexpr std::size_t zero_at = 15, places_at = 16;

TEST(BloomSizedMalformed, Rates)
{
	for (const Image &image : {collecting(3), oversized(), two_layers()}) {
		ASSERT_EQ(reason(image), Malformed::no);
		for (const double rate : {0., -0., 1., -0.01, 2., HUGE_VAL, -HUGE_VAL, std::nan("")})
			EXPECT_EQ(reason(with_rate(image, rate)), Malformed::bad_parameters) << rate;
	}
	EXPECT_EQ(reason(with_rate(collecting(3), 1e-16)), Malformed::no);
	EXPECT_EQ(reason(with_rate(collecting(40), 1e-16)), Malformed::bad_parameters) << "64 bits don't tell so many apart";
}

TEST(BloomSizedMalformed, Layers)
{
	for (const Image &image : {oversized(), two_layers()}) {
		for (const int count : {0, 3, 16, 17, 255})
			EXPECT_NE(reason(with_byte(image, count_at, count)), Malformed::no) << count;
		EXPECT_EQ(reason(with_byte(image, count_at, 0)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with_byte(image, count_at, 17)), Malformed::bad_parameters);
		for (const std::size_t at : {capacity_at, added_at}) {
			EXPECT_EQ(reason(with(image, at, std::uint64_t{0})), Malformed::bad_parameters);
			EXPECT_EQ(reason(with(image, at, std::uint64_t{INT64_MAX} + 1)), Malformed::bad_parameters);
			EXPECT_EQ(reason(with(image, at, std::uint64_t{INT64_MAX})), Malformed::no);
		}
		const auto blocks = load_le<std::uint64_t>(image.data() + blocks_at);
		EXPECT_EQ(reason(with(image, blocks_at, std::uint64_t{0})), Malformed::bad_parameters);
		for (const std::uint64_t wrong : {blocks - 1, blocks + 1, 2 * blocks, std::uint64_t{1} << 58, (std::uint64_t{1} << 58) + blocks, ~std::uint64_t{0}}) {
			if (wrong != 0) {
				EXPECT_EQ(reason(with(image, blocks_at, wrong)), Malformed::wrong_length) << wrong;
			}
		}
		for (const int hashes : {0, 65, 255})
			EXPECT_EQ(reason(with_byte(image, hashes_at, hashes)), Malformed::bad_parameters);
		for (const int size : {0, 8, 10, 11, 13, 73, 255})
			EXPECT_EQ(reason(with_byte(image, block_size_at, size)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with_byte(image, block_size_at, 12)), Malformed::wrong_length);
		for (std::size_t size = Header::fixed_size; size < image.size() + 65; ++size)
			EXPECT_EQ(reason(resized(image, size)) == Malformed::no, size == image.size()) << size;
		EXPECT_EQ(reason(with_byte(image, kind_at, 0)), Malformed::not_canonical) << "values of no kind";
	}
	// The second layer without a bit.
	Image image = two_layers();
	LayersHead head;
	ASSERT_EQ(head.read(image, image.size()), Malformed::no);
	ASSERT_EQ(head.count, 2u);
	std::fill(image.begin() + static_cast<std::ptrdiff_t>(head.layers[1].offset), image.end(), std::uint8_t{0});
	EXPECT_EQ(reason(image), Malformed::not_canonical);
	image.back() = 1;
	EXPECT_EQ(reason(image), Malformed::no);
}

TEST(BloomSizedMalformed, Tables)
{
	const Image image = collecting(3);
	ASSERT_EQ(image.size(), places_at + 8 * 8);
	for (std::size_t size = Header::fixed_size; size < image.size() + 100; ++size)
		EXPECT_EQ(reason(resized(image, size)) == Malformed::no, size == image.size()) << size;
	EXPECT_EQ(reason(with(image, count_at, std::uint32_t{2})), Malformed::bad_count);
	EXPECT_EQ(reason(with(image, count_at, std::uint32_t{4})), Malformed::bad_count);
	EXPECT_EQ(reason(with(image, count_at, std::uint32_t{7})), Malformed::bad_count) << "more than 3 of 4";
	EXPECT_EQ(reason(with_byte(image, zero_at, 1)), Malformed::no);
	EXPECT_EQ(reason(with_byte(image, zero_at, 2)), Malformed::bad_count);
	EXPECT_EQ(reason(with_byte(image, kind_at, 0)), Malformed::not_canonical);
	Image empty = test::SizedBuilding(0.01).image();
	EXPECT_EQ(reason(empty), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(test::accept_sized(with_byte(empty, kind_at, 0)), test::from_hex("211000")) << "no values";
	// A hash that can't be found from its place.
	Image moved = empty;
	store_le(moved.data() + count_at, std::uint32_t{1});
	store_le(moved.data() + places_at + 8 * 5, std::uint64_t{1} << 61 | 1);  // of place 1
	EXPECT_EQ(reason(moved), Malformed::bad_entry);
	store_le(moved.data() + places_at + 8 * 5, std::uint64_t{5} << 61 | 1);
	EXPECT_EQ(reason(moved), Malformed::no);
	// Around the end it can.
	store_le(moved.data() + count_at, std::uint32_t{3});
	store_le(moved.data() + places_at + 8 * 7, std::uint64_t{7} << 61 | 1);
	store_le(moved.data() + places_at, std::uint64_t{7} << 61 | 2);
	EXPECT_EQ(reason(moved), Malformed::no);
	store_le(moved.data() + places_at, std::uint64_t{6} << 61 | 2);
	EXPECT_EQ(reason(moved), Malformed::bad_entry);
}

TEST(BloomSizedMalformed, Waiting)
{
	test::SizedBuilding building(0.01);
	for (std::uint64_t value = 0; value < 49'200; ++value)
		ASSERT_EQ(building.add(hash_word(value, 0)), Growth::done);
	const Image &image = building.image();
	ASSERT_EQ(image.size(), places_at + 8 * 131'072 + tail_size);
	const std::size_t waiting_at = image.size() - tail_size;
	const auto waiting = load_le<std::uint32_t>(image.data() + waiting_at);
	ASSERT_GT(waiting, 0u);
	EXPECT_EQ(reason(image), Malformed::no);
	EXPECT_EQ(reason(with(image, waiting_at, std::uint32_t{17})), Malformed::bad_count);
	EXPECT_EQ(reason(with(image, waiting_at + 4, Hash64{0})), Malformed::bad_entry);
	EXPECT_EQ(reason(resized(image, waiting_at)), Malformed::wrong_length) << "large tables have them";
	EXPECT_EQ(reason(resized(image, image.size() + 1)), Malformed::wrong_length);
	// One that waits twice counts once.
	Image twice = with(image, waiting_at, std::uint32_t{2});
	store_le(twice.data() + waiting_at + 12, load_le<Hash64>(twice.data() + waiting_at + 4));
	Collecting table;
	ASSERT_EQ(Collecting::open(MutableBytes(twice), table), Malformed::no);
	std::uint64_t values = 0;
	table.each([&](Hash64) { ++values; });
	EXPECT_EQ(values, table.values());
	EXPECT_EQ(values, 49'200u - waiting + 1);
}

}  // namespace
}  // namespace bloomsketch::bloom
