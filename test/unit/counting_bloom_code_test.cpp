// Counters of one block: at work, and at rest against a slow and plain writer.
#include <gtest/gtest.h>

#include "counting_bloom/block_code.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::counting_bloom {
namespace {

using test::Image;
using test::Random;

constexpr std::size_t block_sizes[] = {64, 512};

// Counters of a block, of which about `filled` in 16 are above 0 and spread up to `most`.
Image random_counters(Random &random, std::size_t block_bytes, std::uint64_t filled, std::uint64_t most)
{
	Image counters(working_factor * block_bytes);
	for (std::uint8_t &byte : counters)
		for (const int shift : {0, 4})
			if (random.below(16) < filled)
				byte = static_cast<std::uint8_t>(byte | (1 + random.below(most)) << shift);
	return counters;
}

struct Plain {
	Image bits;
	std::string unary;   // '0' and '1'
	std::string packed;  // hex digits, in order
};

Plain write_plain(const Image &counters)
{
	Plain plain{Image(counters.size() / working_factor), "", ""};
	for (std::size_t i = 0; i < 2 * counters.size(); ++i) {
		const int counter = counters[i / 2] / (i % 2 != 0 ? 16 : 1) % 16;
		if (counter == 0)
			continue;
		plain.bits[i / 8] = static_cast<std::uint8_t>(plain.bits[i / 8] | 1 << i % 8);
		plain.unary += std::string(static_cast<std::size_t>(counter) - 1, '0') + '1';
		plain.packed += "0123456789abcdef"[counter];
	}
	return plain;
}

// The bytes of a string of bits, lowest first, and of half bytes, low ones first.
Image bytes_of_bits(const std::string &bits)
{
	Image bytes((bits.size() + 7) / 8);
	for (std::size_t i = 0; i < bits.size(); ++i)
		bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] | (bits[i] - '0') << i % 8);
	return bytes;
}

Image bytes_of_digits(std::string digits)
{
	digits += digits.size() % 2 != 0 ? "0" : "";
	for (std::size_t i = 0; i < digits.size(); i += 2)
		std::swap(digits[i], digits[i + 1]);
	return test::from_hex(digits);
}

struct Written {
	Image bits;
	Image excess;
};

Written write(const Image &counters)
{
	const std::size_t block_bytes = counters.size() / working_factor;
	Written written{Image(block_bytes, 0xA5), Image(counters.size(), 0xA5)};
	written.excess.resize(write_block(counters.data(), block_bytes, written.bits.data(), written.excess.data()));
	return written;
}

Malformed read(const Image &bits, const Image &excess, Image *counters = nullptr)
{
	Image read(working_factor * bits.size(), 0xA5);
	const Malformed reason = read_block(bits.data(), bits.size(), excess, read.data());
	if (counters != nullptr)
		*counters = read;
	return reason;
}

TEST(CountingBloomCode, WritesTheShorterWay)
{
	Random random(1);
	int unary = 0, packed = 0;
	for (const std::size_t block_bytes : block_sizes)
		for (int round = 0; round < 2'000; ++round) {
			const Image counters = random_counters(random, block_bytes, random.below(17), 1 + random.below(15));
			const Plain plain = write_plain(counters);
			const Image as_unary = bytes_of_bits(plain.unary), as_packed = bytes_of_digits(plain.packed);
			const bool is_unary = as_unary.size() < as_packed.size();
			const Written written = write(counters);
			ASSERT_EQ(written.bits, plain.bits);
			ASSERT_EQ(written.excess, is_unary ? as_unary : as_packed);
			ASSERT_EQ(sum_of_counters(counters.data(), counters.size()), plain.unary.size());
			Image back;
			ASSERT_EQ(read(written.bits, written.excess, &back), Malformed::no);
			ASSERT_EQ(back, counters);
			++(is_unary ? unary : packed);
		}
	EXPECT_GT(unary, 500);
	EXPECT_GT(packed, 500);
}

// Three counters: 1, 3 and 2 at positions 0, 9 and 511.
TEST(CountingBloomCode, Example)
{
	Image counters(256);
	counters[0] = 0x01;
	counters[4] = 0x30;
	counters[255] = 0x20;
	const Written written = write(counters);
	EXPECT_EQ(test::to_hex(Bytes(written.bits).first(2)), "0102");
	EXPECT_EQ(written.bits[63], 0x80);
	EXPECT_EQ(test::to_hex(written.excess), "29") << "1, 001, 01 from the lowest bit";
	counters[0] = 0x0F;  // 18 bits; packed is shorter
	EXPECT_EQ(test::to_hex(write(counters).excess), "3f02");
	counters[0] = 0x05;  // 8 bits
	counters[4] = 0x20;
	counters[255] = 0x10;
	EXPECT_EQ(test::to_hex(write(counters).excess), "d0") << "00001, 01, 1";
}

// Every field that lies is found out. Four counters of 1 above the bits 0..3.
TEST(CountingBloomCode, RefusesWhatItWouldNotWrite)
{
	Image bits(64);
	bits[0] = 0x0F;
	ASSERT_EQ(read(bits, {0x0F}), Malformed::no);
	EXPECT_EQ(read(bits, {}), Malformed::too_short);
	EXPECT_EQ(read(bits, {0x0F, 0, 0}), Malformed::bad_count) << "more than packed";
	EXPECT_EQ(read(bits, {0x07}), Malformed::too_short) << "three counters";
	EXPECT_EQ(read(bits, {0x1F}), Malformed::bad_padding) << "five";
	EXPECT_EQ(read(bits, {0x1E}), Malformed::no) << "2, 1, 1, 1";
	EXPECT_EQ(read(bits, {0x11, 0x11}), Malformed::not_canonical) << "unary is shorter";
	EXPECT_EQ(read(bits, {0x51, 0x11}), Malformed::not_canonical) << "by 8 bits";
	EXPECT_EQ(read(bits, {0x61, 0x11}), Malformed::no) << "9 bits are no fewer bytes";
	EXPECT_EQ(read(bits, {0xFF, 0xFF}), Malformed::no);
	EXPECT_EQ(read(bits, {0xF0, 0xFF}), Malformed::bad_entry) << "a counter of 0";
	bits[0] = 0x07;
	EXPECT_EQ(read(bits, {0xFF, 0x0F}), Malformed::no);
	EXPECT_EQ(read(bits, {0xFF, 0x1F}), Malformed::bad_padding);
	EXPECT_EQ(read(Image(64), {}), Malformed::no);
	EXPECT_EQ(read(Image(64), {0}), Malformed::bad_count) << "a byte for no counter";
	// 20 counters, the first of 15 or 16 zeros and ones.
	bits[0] = bits[1] = 0xFF;
	bits[2] = 0x0F;
	EXPECT_EQ(read(bits, bytes_of_bits(std::string(14, '0') + std::string(20, '1'))), Malformed::no);
	EXPECT_EQ(read(bits, bytes_of_bits(std::string(15, '0') + std::string(20, '1'))), Malformed::bad_entry) << "16";
	EXPECT_EQ(read(bits, bytes_of_bits(std::string(20, '1') + std::string(8, '0'))), Malformed::wrong_length);
}

// Saturating, counter by counter.
TEST(CountingBloomCode, Merges)
{
	Random random(2);
	for (int round = 0; round < 200; ++round) {
		const Image a = random_counters(random, 64, 12, 15), b = random_counters(random, 64, 12, 15);
		Image both = a;
		merge_counters(both.data(), b.data(), b.size());
		std::uint32_t stuck_by_hand = 0;
		for (std::uint32_t p = 0; p < 512; ++p) {
			const unsigned sum = std::min(counter_at(a.data(), p) + counter_at(b.data(), p), 15u);
			ASSERT_EQ(counter_at(both.data(), p), sum);
			stuck_by_hand += sum == 15;
		}
		ASSERT_EQ(stuck_counters(both.data(), both.size()), stuck_by_hand);
	}
}

// A value raises each of its counters once, where positions are equal, too; at 15 they
// stay, and are not lowered again.
TEST(CountingBloomCode, CountsCopies)
{
	Random random(3);
	int with_equal_positions = 0;
	for (int round = 0; round < 300; ++round) {
		const int log2 = round % 2 != 0 ? bloom::small_block_bits_log2 : bloom::large_block_bits_log2;
		const int hashes = 1 + static_cast<int>(random.below(bloom::max_hashes));
		const Hash64 hash = random.next();
		Image counters((std::size_t{1} << log2) / 2);
		std::uint32_t raised = 0;
		for (unsigned copies = 1; copies <= 20; ++copies) {
			add_to_counters(counters.data(), hash, hashes, log2);
			ASSERT_EQ(least_counter(counters.data(), hash, hashes, log2), std::min(copies, stuck));
			raised = copies == 1 ? sum_of_counters(counters.data(), counters.size()) : raised;
			ASSERT_EQ(sum_of_counters(counters.data(), counters.size()), std::min(copies, stuck) * raised);
			if (copies == 14) {
				Image fewer = counters;
				for (int i = 0; i < 14; ++i)
					remove_from_counters(fewer.data(), hash, hashes, log2);
				ASSERT_EQ(fewer, Image(counters.size()));
			}
		}
		Image bits(counters.size() / working_factor), plain(bits.size());
		write_bits(counters.data(), bits.size(), bits.data());
		bloom::add_to_block(plain.data(), hash, hashes, log2);
		ASSERT_EQ(bits, plain);
		with_equal_positions += static_cast<int>(raised) < hashes;
		const Image before = counters;
		remove_from_counters(counters.data(), hash, hashes, log2);
		ASSERT_EQ(counters, before) << "stuck";
		ASSERT_EQ(stuck_counters(counters.data(), counters.size()), raised);
	}
	EXPECT_GT(with_equal_positions, 50);
}

}  // namespace
}  // namespace bloomsketch::counting_bloom
