// Images that open() or check() refuse, one per reason; Head::read() refuses what
// open() does from the first bytes and the size alone.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "cuckoo_building.hpp"

namespace bloomsketch::cuckoo {
namespace {

using test::Image;

// The reason that open() or else check() gives.
Malformed reason(const Image &image)
{
	Filter filter;
	Head head;
	const Malformed at_the_door = Filter::open(image, filter);
	const Image front(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(std::min(image.size(), largest_head)));
	EXPECT_EQ(head.read(front, image.size()), at_the_door);
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

Image build(int count, std::int64_t seed = 0)
{
	test::CuckooBuilding building(10, 0.01, seed);
	for (int value = 0; value < count; ++value)
		EXPECT_EQ(building.add(hash_word(static_cast<std::uint64_t>(value), seed)), Change::done);
	return building.image();
}

// Offsets without a seed.
constexpr std::size_t kind_at = 2, capacity_at = 3, rate_at = 11, bits_at = 19, items_at = 20, slots_at = 28;

Image with_word(Image image, std::size_t at, std::uint64_t word)
{
	store_le(image.data() + at, word);
	return image;
}

Image with_rate(double rate) { return with_word(build(1), rate_at, std::bit_cast<std::uint64_t>(rate)); }

TEST(CuckooMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("4110"), Malformed::too_short);
	EXPECT_EQ(reason("411000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("211000"), Malformed::other_sketch);
	EXPECT_EQ(reason("421000"), Malformed::unknown_version);
	EXPECT_EQ(reason("412000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("411023"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("411800"), Malformed::too_short);
	EXPECT_EQ(reason("4118000000000000000000"), Malformed::zero_seed);
	for (const char *form : {"411100", "411200", "411300", "411400", "411500", "411600", "411700"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
	EXPECT_EQ(reason(changed(build(1), 1, 0x11)), Malformed::unknown_form);
}

TEST(CuckooMalformed, Parameterless)
{
	EXPECT_EQ(reason("411002"), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason("4118000100000000000000"), Malformed::bad_parameters) << "a seed without parameters";
}

TEST(CuckooMalformed, Parameters)
{
	const Image good = build(1);
	ASSERT_EQ(reason(good), Malformed::no);
	EXPECT_EQ(reason(with_word(good, capacity_at, 0)), Malformed::bad_parameters);
	EXPECT_EQ(reason(with_word(good, capacity_at, largest_capacity)), Malformed::no) << "of another size than it asks for";
	EXPECT_EQ(reason(with_word(good, capacity_at, largest_capacity + 1)), Malformed::bad_parameters);
	EXPECT_EQ(reason(with_word(good, capacity_at, UINT64_MAX)), Malformed::bad_parameters);
	for (const double rate : {0., -0., 1., -0.01, 2., 1.99e-9, HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan("")})
		EXPECT_EQ(reason(with_rate(rate)), Malformed::bad_parameters) << rate;
	EXPECT_EQ(reason(with_rate(1 - 0x1p-53)), Malformed::no);
	EXPECT_EQ(reason(with_rate(2e-9)), Malformed::no);
	for (const std::uint8_t bits : {0, 1, 3, 33, 64, 255})
		EXPECT_EQ(reason(changed(good, bits_at, bits)), Malformed::bad_parameters) << int{bits};
}

TEST(CuckooMalformed, Length)
{
	const Image good = build(3);
	ASSERT_EQ(good.size(), slots_at + 4 * 8);
	for (std::size_t size = Header::fixed_size + 1; size < slots_at; ++size)
		EXPECT_EQ(reason(resized(good, size)), Malformed::too_short) << size;
	for (std::size_t size = slots_at; size < good.size() + 8; ++size)
		EXPECT_EQ(reason(resized(good, size)), size == good.size() ? Malformed::no : Malformed::wrong_length) << size;
	EXPECT_EQ(reason(resized(good, good.size() + 8)), Malformed::no) << "five buckets in a half";
	EXPECT_EQ(reason(changed(good, bits_at, 7)), Malformed::wrong_length);
	const Image seeded = build(3, -1);
	ASSERT_EQ(reason(seeded), Malformed::no);
	EXPECT_EQ(reason(resized(seeded, seeded.size() - 1)), Malformed::wrong_length);
	EXPECT_EQ(reason(resized(seeded, slots_at + 7)), Malformed::too_short);
}

TEST(CuckooMalformed, Items)
{
	const Image good = build(3);
	for (const std::uint64_t items : {1u, 2u, 4u, 32u, 33u})
		EXPECT_EQ(reason(with_word(good, items_at, items)), Malformed::bad_count) << items;
	EXPECT_EQ(reason(with_word(good, items_at, UINT64_MAX)), Malformed::bad_count);
	EXPECT_EQ(reason(with_word(good, items_at, 0)), Malformed::not_canonical) << "a kind of no value";
	// In each slot there may be something, and is counted.
	const Image empty = build(0);
	ASSERT_EQ(reason(empty), Malformed::no);
	for (std::size_t at = slots_at; at < empty.size(); ++at) {
		ASSERT_EQ(reason(changed(empty, at, 0x80)), Malformed::bad_count);
		ASSERT_EQ(reason(with_word(changed(changed(empty, at, 0x01), kind_at, 2), items_at, 1)), Malformed::no);
	}
	// All slots full, one less.
	Image full = with_word(changed(empty, kind_at, 2), items_at, 32);
	std::fill(full.begin() + slots_at, full.end(), std::uint8_t{1});
	EXPECT_EQ(reason(full), Malformed::no);
	EXPECT_EQ(reason(changed(full, slots_at + 31, 0)), Malformed::bad_count);
}

TEST(CuckooMalformed, KindOfValueAndEmptiness)
{
	EXPECT_EQ(reason(changed(build(0), kind_at, 2)), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason(changed(build(1), kind_at, 0)), Malformed::not_canonical) << "a value of no kind";
	EXPECT_EQ(reason(changed(build(1), kind_at, 8)), Malformed::no);
}

}  // namespace
}  // namespace bloomsketch::cuckoo
