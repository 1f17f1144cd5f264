// Images that open() or check() refuse, one per reason; Head::read() refuses the
// same from the first bytes and the size alone.
#include <cmath>

#include <gtest/gtest.h>

#include "bloom_building.hpp"

namespace bloomsketch::bloom {
namespace {

using test::Image;

// The reason that open() or else check() gives.
Malformed reason(const Image &image)
{
	Filter filter;
	Head head;
	const Malformed at_the_door = Filter::open(image, filter);
	const Image front(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(std::min(image.size(), largest_head)));
	const Malformed by_head = head.read(front, image.size());
	if (at_the_door != Malformed::bad_count) {  // that is told by the tail
		EXPECT_EQ(by_head, at_the_door);
	}
	return at_the_door != Malformed::no ? at_the_door : filter.check();
}

Malformed reason(const std::string &hex) { return reason(test::from_hex(hex)); }

Image changed(Image image, std::size_t at, std::uint8_t value)
{
	image.at(at) = value;
	return image;
}

Image resized(Image image, std::size_t size)
{
	image.resize(size);
	return image;
}

Image build(Form form, int count, double rate = 0.01)
{
	test::BloomBuilding building(10, rate, 0, form);
	for (int value = 0; value < count; ++value)
		building.add(hash_word(static_cast<std::uint64_t>(value), 0));
	return building.image();
}

// Offsets without a seed.
constexpr std::size_t kind_at = 2, capacity_at = 3, rate_at = 11, hashes_at = 19, blocks_at = 20;

Image with_rate(double rate)
{
	Image image = build(Form::rest, 1);
	store_le(image.data() + rate_at, std::bit_cast<std::uint64_t>(rate));
	return image;
}

TEST(BloomMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("2110"), Malformed::too_short);
	EXPECT_EQ(reason("211000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("111000"), Malformed::other_sketch);
	EXPECT_EQ(reason("221000"), Malformed::unknown_version);
	EXPECT_EQ(reason("212000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("211023"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("211800"), Malformed::too_short);
	EXPECT_EQ(reason("2118000000000000000000"), Malformed::zero_seed);
	for (const char *form : {"211200", "211300", "211400", "211500", "211600", "211700"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
}

TEST(BloomMalformed, Parameterless)
{
	EXPECT_EQ(reason("211002"), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason("211100"), Malformed::bad_parameters) << "building without parameters";
	EXPECT_EQ(reason("2118000100000000000000"), Malformed::bad_parameters) << "a seed without parameters";
}

TEST(BloomMalformed, Parameters)
{
	const Image good = build(Form::rest, 1);
	ASSERT_EQ(reason(good), Malformed::no);
	Image none = good;
	store_le(none.data() + capacity_at, std::uint64_t{0});
	EXPECT_EQ(reason(none), Malformed::bad_parameters);
	store_le(none.data() + capacity_at, std::uint64_t{INT64_MAX} + 1);
	EXPECT_EQ(reason(none), Malformed::bad_parameters);
	store_le(none.data() + capacity_at, std::uint64_t{INT64_MAX});
	EXPECT_EQ(reason(none), Malformed::no);
	for (const double rate : {0., -0., 1., -0.01, 2., HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan("")})
		EXPECT_EQ(reason(with_rate(rate)), Malformed::bad_parameters) << rate;
	EXPECT_EQ(reason(with_rate(1 - 0x1p-53)), Malformed::no);
	EXPECT_EQ(reason(with_rate(0x1p-1074)), Malformed::wrong_length) << "its blocks have 512 bytes";
	for (const std::uint8_t hashes : {0, 65, 255})
		EXPECT_EQ(reason(changed(good, hashes_at, hashes)), Malformed::bad_parameters);
	for (const std::uint8_t hashes : {1, 64})
		EXPECT_EQ(reason(changed(good, hashes_at, hashes)), Malformed::no);
}

TEST(BloomMalformed, Length)
{
	for (const Form form : {Form::rest, Form::building}) {
		const Image good = build(form, 3);
		const std::size_t tail = form == Form::building ? tail_size : 0;
		ASSERT_EQ(good.size(), blocks_at + 64 + tail);
		for (std::size_t size = Header::fixed_size + 1; size < blocks_at; ++size)
			EXPECT_EQ(reason(resized(good, size)), Malformed::too_short) << size;
		for (std::size_t size = blocks_at; size < good.size() + 64; ++size)
			EXPECT_EQ(reason(resized(good, size)), size == good.size() ? Malformed::no : Malformed::wrong_length) << size;
	}
	EXPECT_EQ(reason(resized(build(Form::rest, 3), blocks_at + 128)), Malformed::no) << "two blocks";
	const Image large = build(Form::rest, 3, 0.0001);
	ASSERT_EQ(reason(large), Malformed::no);
	EXPECT_EQ(reason(resized(large, blocks_at + 512 - 64)), Malformed::wrong_length);
	EXPECT_EQ(reason(resized(large, blocks_at + 512 + 64)), Malformed::wrong_length);
	EXPECT_EQ(reason(resized(large, blocks_at + 1'024)), Malformed::no);
}

TEST(BloomMalformed, Waiting)
{
	const Image building = build(Form::building, 15);
	const std::size_t count_at = building.size() - tail_size;
	ASSERT_EQ(building[count_at], 15);
	ASSERT_EQ(reason(building), Malformed::no);
	EXPECT_EQ(reason(changed(building, count_at, 16)), Malformed::bad_count) << "no room for another";
	EXPECT_EQ(reason(changed(building, count_at, 17)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(building, count_at + 3, 1)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(building, count_at, 14)), Malformed::no);
}

TEST(BloomMalformed, KindOfValueAndEmptiness)
{
	for (const Form form : {Form::rest, Form::building}) {
		const Image empty = build(form, 0), one = build(form, 1);
		ASSERT_EQ(reason(empty), Malformed::no);
		ASSERT_EQ(reason(one), Malformed::no);
		EXPECT_EQ(reason(changed(empty, kind_at, 2)), Malformed::not_canonical) << "a kind of no value";
		EXPECT_EQ(reason(changed(one, kind_at, 0)), Malformed::not_canonical) << "a value of no kind";
	}
	// One bit, anywhere, is a value.
	const Image empty = build(Form::rest, 0, 0.0001);
	for (std::size_t at = blocks_at; at < empty.size(); ++at) {
		ASSERT_EQ(reason(changed(empty, at, 0x80)), Malformed::not_canonical);
		ASSERT_EQ(reason(changed(changed(empty, at, 0x01), kind_at, 2)), Malformed::no);
	}
}

}  // namespace
}  // namespace bloomsketch::bloom
