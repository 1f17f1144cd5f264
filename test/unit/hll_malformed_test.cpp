// Images that open() or check() refuse, one per reason.
#include <gtest/gtest.h>

#include "hll_building.hpp"

namespace bloomsketch::hll {
namespace {

using test::Image;

// The reason that open() or else check() gives.
Malformed reason(const Image &image)
{
	Sketch sketch;
	const Malformed at_the_door = Sketch::open(image, sketch);
	return at_the_door != Malformed::no ? at_the_door : sketch.check();
}

Malformed reason(const char *hex) { return reason(test::from_hex(hex)); }

Image changed(Image image, std::size_t at, std::uint8_t value)
{
	image.at(at) = value;
	return image;
}

Image build(int precision, std::uint32_t count)
{
	test::HllBuilding building({precision, 0});
	for (std::uint32_t value = 0; value < count; ++value)
		building.add(hash_word(value, 0));
	return building.image();
}

TEST(HllMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("111000"), Malformed::too_short);
	EXPECT_EQ(reason("11100000"), Malformed::too_short) << "no count";
	EXPECT_EQ(reason("1110000000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("2110000000"), Malformed::other_sketch);
	EXPECT_EQ(reason("1210000000"), Malformed::unknown_version);
	EXPECT_EQ(reason("1120000000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("1110230e00"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("11180000000000000000000e00"), Malformed::zero_seed);
	for (const char *form : {"1114000e00", "1115000e00", "1116000e00", "1117000e00"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
}

TEST(HllMalformed, Parameters)
{
	EXPECT_EQ(reason("1110000e00"), Malformed::no);
	for (const char *precision : {"1110000300", "1110001300", "111000ff00"})
		EXPECT_EQ(reason(precision), Malformed::bad_parameters);
	EXPECT_EQ(reason("11180001000000000000000000"), Malformed::bad_parameters) << "a seed without a precision";
	EXPECT_EQ(reason("1111000000"), Malformed::bad_parameters) << "dense without a precision";
	EXPECT_EQ(reason("1110000001"), Malformed::bad_count) << "entries without a precision";
}

TEST(HllMalformed, Count)
{
	EXPECT_EQ(reason("1110020e8000"), Malformed::bad_count) << "0 in two bytes";
	EXPECT_EQ(reason("1110020e80808000"), Malformed::too_short) << "four bytes";
	EXPECT_EQ(reason("1110020e8110"), Malformed::bad_count) << "2,049 at precision 14";
	EXPECT_EQ(reason("1110020e8010"), Malformed::too_short) << "2,048, and none there";
	EXPECT_EQ(reason("1110000e0000"), Malformed::wrong_length);
}

TEST(HllMalformed, KindOfValueAndEmptiness)
{
	EXPECT_EQ(reason("1110020e00"), Malformed::not_canonical) << "a kind of no value";
	EXPECT_EQ(reason("1110020000"), Malformed::not_canonical);
	const Image one = test::store_hll(build(14, 1));
	ASSERT_EQ(reason(one), Malformed::no);
	EXPECT_EQ(reason(changed(one, 2, 0)), Malformed::not_canonical) << "a value of no kind";
	EXPECT_EQ(reason("11110204ff" "000000000000000000000000"), Malformed::not_canonical) << "dense and all zero";
	EXPECT_EQ(reason("1111020400" "010101" "00000000"), Malformed::not_canonical) << "the same, coded";
}

TEST(HllMalformed, DenseBytes)
{
	const Image bytes = build(4, 100);
	EXPECT_EQ(reason(changed(bytes, 4, 61)), Malformed::no);
	EXPECT_EQ(reason(changed(bytes, 4, 62)), Malformed::bad_entry) << "61 is the highest rank at precision 4";
	EXPECT_EQ(reason(changed(bytes, 19, 255)), Malformed::bad_entry);
}

// Register i has rank 4 i, the last one 61: nothing that a code is good for.
TEST(HllMalformed, Packed)
{
	Image bytes = build(4, 100);
	for (std::uint8_t i = 0; i < 16; ++i)
		bytes[4 + i] = static_cast<std::uint8_t>(i == 15 ? 61 : 4 * i);
	const Image packed = test::store_hll(bytes);
	ASSERT_EQ(packed.size(), 4u + 1 + 12);
	ASSERT_EQ(packed[4], 255);
	ASSERT_EQ(reason(packed), Malformed::no);
	Image shorter = packed, longer = packed;
	shorter.pop_back();
	longer.push_back(0);
	EXPECT_EQ(reason(shorter), Malformed::wrong_length);
	EXPECT_EQ(reason(longer), Malformed::wrong_length);
	EXPECT_EQ(reason(Image(packed.begin(), packed.begin() + 4)), Malformed::too_short);
	EXPECT_EQ(reason(changed(packed, 16, 62 << 2)), Malformed::bad_entry);
	EXPECT_EQ(reason("11110204ff" "411004411004" "411004411004"), Malformed::not_canonical) << "1s are shorter coded";
}

// Sixteen registers by code 0, whose words are 0, 10, 110, 1110, .. for ranks 0, 1,
// 2, 3, ..: ranks 1, 0, 0, 0 and three times 0, 0, 0, 0.
TEST(HllMalformed, Coded)
{
	const char *head = "11110204";
	const auto coded = [&](const char *load, const char *lengths, const char *streams) {
		return reason((std::string(head) + load + lengths + streams).c_str());
	};
	ASSERT_EQ(coded("00", "010101", "01000000"), Malformed::no);
	EXPECT_EQ(coded("7f", "010101", "01000000"), Malformed::bad_parameters);
	EXPECT_EQ(coded("fe", "010101", "01000000"), Malformed::bad_parameters);
	EXPECT_EQ(coded("00", "", ""), Malformed::too_short);
	EXPECT_EQ(coded("00", "0101", ""), Malformed::too_short);
	EXPECT_EQ(coded("00", "010181", ""), Malformed::too_short);
	EXPECT_EQ(coded("00", "010101", "010000"), Malformed::too_short) << "the last stream has no byte";
	EXPECT_EQ(coded("00", "010105", "01000000"), Malformed::too_short) << "it would begin behind the end";
	EXPECT_EQ(coded("00", "810001", "01000000"), Malformed::bad_count) << "1 in two bytes";
	EXPECT_EQ(coded("00", "808101", "01000000"), Malformed::bad_count) << "three bytes";
	EXPECT_EQ(coded("00", "010101", "0100000000"), Malformed::wrong_length);
	EXPECT_EQ(coded("00", "010201", "0100000000"), Malformed::wrong_length) << "a byte too many in the second";
	EXPECT_EQ(coded("00", "010002", "01000000"), Malformed::too_short) << "none in it";
	EXPECT_EQ(coded("00", "010101", "21000000"), Malformed::bad_padding);
	EXPECT_EQ(coded("00", "010101", "01008000"), Malformed::bad_padding);
	EXPECT_EQ(coded("01", "010101", "01000000"), Malformed::not_canonical) << "another code is shorter";
	// An escape is ten ones and the rank: 61 is 101111, 62 is 011111, lowest bit first.
	EXPECT_EQ(coded("00", "030101", "fff700" "000000"), Malformed::no);
	EXPECT_EQ(coded("00", "030101", "fffb00" "000000"), Malformed::bad_entry);
	EXPECT_EQ(coded("00", "030101", "ff3b00" "000000"), Malformed::not_canonical) << "14 has a symbol";
	EXPECT_EQ(coded("00", "030101", "ff3f00" "000000"), Malformed::no) << "15 has none";
	// 14, 1, 1, 2: 10 + 2 + 2 + 3 bits, or 16 + 2 + 2 + 3, which take as many bytes.
	EXPECT_EQ(coded("00", "030101", "ffd500" "000000"), Malformed::no);
	EXPECT_EQ(coded("00", "030101", "ff3b35" "000000"), Malformed::not_canonical);
	EXPECT_EQ(coded("00", "010101", "ff000000"), Malformed::too_short) << "cut within an escape";
}

TEST(HllMalformed, Table)
{
	const Image table = build(14, 3);
	ASSERT_EQ(reason(table), Malformed::no);
	Image ragged = table;
	ragged.push_back(0);
	EXPECT_EQ(reason(ragged), Malformed::wrong_length);
	EXPECT_EQ(reason(Image(table.begin(), table.begin() + 8)), Malformed::wrong_length) << "no slot";
	EXPECT_EQ(reason(changed(table, 4, 2)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(table, 4, 4)), Malformed::bad_count);
	EXPECT_EQ(reason(changed(table, 6, 1)), Malformed::bad_count) << "65,539 entries";
	std::size_t slot = 8;
	while (load_le<Entry>(table.data() + slot) == 0)
		slot += sizeof(Entry);
	EXPECT_EQ(reason(changed(table, slot, static_cast<std::uint8_t>(table[slot] | 1))), Malformed::bad_entry);
}

// check() lets it pass, as it takes the whole table to see; accepting does not.
TEST(HllMalformed, TableWithAnIndexTwice)
{
	Image table = build(14, 2);
	Entry first = 0;
	for (std::size_t slot = 8; slot < table.size(); slot += sizeof(Entry)) {
		const Entry entry = load_le<Entry>(table.data() + slot);
		if (entry != 0 && first != 0)
			store_le(table.data() + slot, first);
		if (first == 0)
			first = entry;
	}
	EXPECT_EQ(reason(table), Malformed::no);
	EXPECT_FALSE(test::accept_hll(table));
}

}  // namespace
}  // namespace bloomsketch::hll
