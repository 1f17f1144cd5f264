// Images that open() or check() refuse, one per reason; Head::read() refuses the same
// from the first bytes and the size alone, unless what is behind them is at fault.
#include <cmath>

#include <gtest/gtest.h>

#include "counting_bloom_building.hpp"

namespace bloomsketch::counting_bloom {
namespace {

using test::Image;

Malformed reason_by_head(const Image &image)
{
	Head head;
	const Image front(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(std::min(image.size(), largest_head)));
	return head.read(front, image.size());
}

// The reason that open() or else check() gives; accept() refuses alike.
Malformed reason(const Image &image)
{
	Filter filter;
	const Malformed at_the_door = Filter::open(image, filter);
	const Malformed found = at_the_door != Malformed::no ? at_the_door : filter.check();
	EXPECT_EQ(test::accept_counting(image).has_value(), found == Malformed::no);
	if (const Malformed by_head = reason_by_head(image); by_head != Malformed::no) {
		EXPECT_EQ(by_head, at_the_door);
	}
	return found;
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

Image build(Form form, int count, std::uint64_t blocks = 1, double rate = 0.01)
{
	test::CountingBuilding building({10, rate, 0, 7}, blocks);
	for (int value = 0; value < count; ++value)
		building.add(hash_word(static_cast<std::uint64_t>(value), 0));
	return form == Form::working ? building.image() : building.stored();
}

// Offsets without a seed.
constexpr std::size_t kind_at = 2, capacity_at = 3, rate_at = 11, hashes_at = 19, blocks_at = 20, bits_at = 24;

TEST(CountingBloomMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("3110"), Malformed::too_short);
	EXPECT_EQ(reason("311000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("211000"), Malformed::other_sketch) << "bloom";
	EXPECT_EQ(reason("321000"), Malformed::unknown_version);
	EXPECT_EQ(reason("312000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("311023"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("311800"), Malformed::too_short);
	EXPECT_EQ(reason("3118000000000000000000"), Malformed::zero_seed);
	for (const char *form : {"311200", "311300", "311400", "311500", "311600", "311700"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
}

TEST(CountingBloomMalformed, Parameterless)
{
	EXPECT_EQ(reason("311002"), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason("311100"), Malformed::bad_parameters) << "working without parameters";
	EXPECT_EQ(reason("3118000100000000000000"), Malformed::bad_parameters) << "a seed without parameters";
}

TEST(CountingBloomMalformed, Parameters)
{
	for (const Form form : {Form::rest, Form::working}) {
		const Image good = build(form, 1);
		ASSERT_EQ(reason(good), Malformed::no);
		const auto with = [&](std::size_t at, std::uint64_t number) {
			Image image = good;
			store_le(image.data() + at, number);
			return reason(image);
		};
		EXPECT_EQ(with(capacity_at, 0), Malformed::bad_parameters);
		EXPECT_EQ(with(capacity_at, std::uint64_t{INT64_MAX} + 1), Malformed::bad_parameters);
		EXPECT_EQ(with(capacity_at, INT64_MAX), Malformed::no);
		for (const double rate : {0., -0., 1., -0.01, 2., HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan("")})
			EXPECT_EQ(with(rate_at, std::bit_cast<std::uint64_t>(rate)), Malformed::bad_parameters) << rate;
		EXPECT_EQ(with(rate_at, std::bit_cast<std::uint64_t>(1 - 0x1p-53)), Malformed::no);
		EXPECT_EQ(with(rate_at, 1), Malformed::wrong_length) << "its blocks have 512 bytes";
		for (const std::uint8_t hashes : {0, 65, 255})
			EXPECT_EQ(reason(changed(good, hashes_at, hashes)), Malformed::bad_parameters);
		EXPECT_EQ(reason(changed(good, hashes_at, 64)), Malformed::no);
		EXPECT_EQ(reason(changed(good, blocks_at, 0)), Malformed::bad_parameters);
		EXPECT_EQ(reason(changed(good, blocks_at, 2)), Malformed::wrong_length);
		EXPECT_EQ(reason(changed(good, blocks_at + 3, 1)), Malformed::bad_parameters) << "more than ever fit 1 GB";
	}
}

TEST(CountingBloomMalformed, Length)
{
	for (const Form form : {Form::rest, Form::working})
		for (const std::uint64_t blocks : {1u, 3u}) {
			const Image good = build(form, 60, blocks);
			for (std::size_t size = Header::fixed_size + 1; size < bits_at; ++size)
				EXPECT_EQ(reason(resized(good, size)), Malformed::too_short) << size;
			for (std::size_t size = bits_at; size < good.size() + 64; ++size)
				EXPECT_EQ(reason(resized(good, size)), size == good.size() ? Malformed::no : Malformed::wrong_length) << size;
		}
	const Image large = build(Form::rest, 3, 1, 0.0001);
	ASSERT_EQ(large.size(), bits_at + 512 + 4 + 3);  // 21 bits
	EXPECT_EQ(reason(large), Malformed::no);
}

TEST(CountingBloomMalformed, Directory)
{
	const Image good = build(Form::rest, 60, 3);
	const std::size_t directory_at = bits_at + 3 * 64;
	ASSERT_EQ(reason(good), Malformed::no);
	const auto with = [&](std::size_t block, std::uint32_t change) {
		Image image = good;
		std::uint8_t *const entry = image.data() + directory_at + 4 * block;
		store_le(entry, load_le<std::uint32_t>(entry) + change);
		return reason(image);
	};
	EXPECT_EQ(with(2, 1), Malformed::wrong_length);
	EXPECT_EQ(with(2, ~0u), Malformed::wrong_length);
	for (const std::size_t block : {0, 1})
		for (const std::uint32_t change : {1u, ~0u, 0x80000000u, 0xFFFF0000u, 500u})
			EXPECT_NE(with(block, change), Malformed::no) << block << ", " << change;
	EXPECT_EQ(with(0, 500), Malformed::bad_count) << "behind the end";
	Image swapped = good;  // the second ends before it begins
	store_le(swapped.data() + directory_at + 4, std::uint32_t{0});
	EXPECT_EQ(reason(swapped), Malformed::bad_count);
}

// Of what block_code.hpp refuses, one each in either way of writing.
TEST(CountingBloomMalformed, Counters)
{
	const Image unary = build(Form::rest, 10), empty = build(Form::rest, 0);
	const std::size_t counters_at = bits_at + 64 + 4;
	ASSERT_GT(unary.size(), counters_at);
	EXPECT_NE(reason(changed(unary, unary.size() - 1, 0)), Malformed::no) << "counters are missing";
	EXPECT_EQ(reason(changed(unary, unary.size() - 1, unary.back() | 0x80)), Malformed::bad_padding);
	Image packed = changed(empty, kind_at, 2);
	packed[bits_at] = 1;
	packed[bits_at + 64] = 1;
	packed.push_back(15);
	EXPECT_EQ(reason(packed), Malformed::no);
	EXPECT_EQ(reason(changed(packed, counters_at, 0)), Malformed::bad_entry);
	EXPECT_EQ(reason(changed(packed, counters_at, 0x1F)), Malformed::bad_padding);
	EXPECT_EQ(reason(changed(packed, bits_at, 0)), Malformed::bad_count) << "a counter without a bit";
}

TEST(CountingBloomMalformed, Waiting)
{
	const Image working = build(Form::working, 15);
	const std::size_t count_at = working.size() - tail_size;
	ASSERT_EQ(working[count_at], 15);
	ASSERT_EQ(reason(working), Malformed::no);
	EXPECT_EQ(reason(changed(working, count_at, 16)), Malformed::bad_count) << "no room for another";
	EXPECT_EQ(reason(changed(working, count_at, 17)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(working, count_at + 3, 1)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(working, count_at, 14)), Malformed::no);
}

TEST(CountingBloomMalformed, KindOfValueAndEmptiness)
{
	for (const Form form : {Form::rest, Form::working}) {
		const Image empty = build(form, 0), one = build(form, 1);
		ASSERT_EQ(reason(empty), Malformed::no);
		ASSERT_EQ(reason(one), Malformed::no);
		EXPECT_EQ(reason(changed(empty, kind_at, 2)), Malformed::not_canonical) << "a kind of no value";
		EXPECT_EQ(reason(changed(one, kind_at, 0)), Malformed::not_canonical) << "a value of no kind";
	}
	// One counter, anywhere, is a value.
	const Image empty = build(Form::working, 0, 2);
	for (std::size_t at = bits_at; at < empty.size() - tail_size; ++at) {
		ASSERT_EQ(reason(changed(empty, at, 0x80)), Malformed::not_canonical);
		ASSERT_EQ(reason(changed(changed(empty, at, 0x0F), kind_at, 2)), Malformed::no);
	}
}

}  // namespace
}  // namespace bloomsketch::counting_bloom
