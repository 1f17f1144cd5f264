// Strings of bits.
#include <gtest/gtest.h>

#include "common/bits.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch {
namespace {

using test::Image;

// Long runs of zeros, at every offset within a byte and across the window that
// the reader peeks at.
TEST(Bits, ReadsAndWritesLongRuns)
{
	for (int offset = 0; offset < 9; ++offset)
		for (std::uint32_t run = 0; run < 200; ++run) {
			Image written(64);
			BitWriter writer(written.data());
			writer.put(0x1FF >> (9 - offset), offset);
			writer.put_zeros(run);
			writer.put(1, 1);
			writer.put(0x55555555, 32);
			writer.finish();
			BitReader reader(written);
			ASSERT_EQ(reader.take(offset), 0x1FFu >> (9 - offset));
			std::uint32_t zeros;
			ASSERT_TRUE(reader.take_unary(zeros, 1'000));
			ASSERT_EQ(zeros, run);
			ASSERT_EQ(reader.take(32), 0x55555555u);
			EXPECT_FALSE(reader.take_unary(zeros, 1'000));
		}
}

TEST(Bits, GivesUpOnEndlessZeros)
{
	const Image zeros(1'000);
	BitReader reader(zeros);
	std::uint32_t count;
	EXPECT_FALSE(reader.take_unary(count, 100));
	EXPECT_LT(count, 200u);
}

// Fields of every width, in bytes allocated to the last one.
TEST(Bits, FieldsOfEveryWidth)
{
	test::Random random(1);
	for (int round = 0; round < 200; ++round) {
		std::vector<std::pair<std::uint64_t, int>> fields;
		std::size_t bits = 0;
		for (int i = 0; i < 40; ++i) {
			const int width = static_cast<int>(random.below(64));
			fields.emplace_back(low_bits(random.next(), width), width);
			bits += static_cast<std::size_t>(width);
		}
		Image written((bits + 7) / 8);
		BitWriter writer(written.data());
		for (const auto &[field, width] : fields)
			writer.put(field, width);
		writer.finish();
		BitReader reader(written);
		std::size_t at = 0;
		for (const auto &[field, width] : fields) {
			BitReader from(written, at);
			ASSERT_EQ(from.take_wide(width), field);
			ASSERT_EQ(reader.take_wide(width), field);
			if (width <= widest_field) {
				BitReader again(written, at);
				ASSERT_EQ(again.take(width), field);
			}
			at += static_cast<std::size_t>(width);
		}
		EXPECT_EQ(reader.finish(), Malformed::no);
	}
}

TEST(Bits, Finish)
{
	const Image byte = {0x0F}, bytes = {0x0F, 0};
	const auto after = [](const Image &image, int bits) {
		BitReader reader(image);
		reader.take(bits);
		return reader.finish();
	};
	EXPECT_EQ(after(byte, 4), Malformed::no);
	EXPECT_EQ(after(byte, 3), Malformed::bad_padding);
	EXPECT_EQ(after(byte, 8), Malformed::no);
	EXPECT_EQ(after(byte, 9), Malformed::too_short);
	EXPECT_EQ(after(bytes, 8), Malformed::wrong_length);
	EXPECT_EQ(after(bytes, 9), Malformed::no);
}

// One byte from its lowest bit up, then the next.
TEST(Bits, Order)
{
	Image written(2);
	BitWriter writer(written.data());
	writer.put(1, 3);
	writer.put(0x155, 9);
	writer.finish();
	EXPECT_EQ(written, (Image{0xA9, 0x0A}));
}

}  // namespace
}  // namespace bloomsketch
