// The codes of counters at rest, compared with what they say of themselves.
#include <gtest/gtest.h>

#include "cms/packed_counters.hpp"
#include "cms/sparse_counters.hpp"
#include "common/varint.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::cms {
namespace {

using test::Image;
using test::Random;
using Values = std::vector<std::uint64_t>;

// Numbers below 2^most_bits, small ones as often as large ones.
std::uint64_t skewed(Random &random, int most_bits)
{
	return low_bits(random.next(), static_cast<int>(random.below(static_cast<std::uint64_t>(most_bits) + 1)));
}

Image encode(const Values &values)
{
	const BlockCode code(values);
	Image low(code.head().block_size(values.size())), high(low.size(), 0xFF);
	EXPECT_EQ(code.write(values, low.data()), low.data() + low.size());
	code.write(values, high.data());
	EXPECT_EQ(low, high) << "a bit is left out";
	return low;
}

// Adding a block to counters that hold 0, 1, 2, ..: as adding what read() gives, with
// no byte behind them changed.
template <class T>
void adds_narrow(const BlockReader &reader, const Values &values)
{
	constexpr std::uint8_t junk = 0xA5;
	Image counters(values.size() * sizeof(T) + 16, junk);
	for (std::size_t i = 0; i < values.size(); ++i)
		store_le(counters.data() + i * sizeof(T), static_cast<T>(i));
	const Image before = counters;
	const int width = BlockCode(values).head().width;
	ASSERT_EQ(reader.add_narrow<T>(counters.data()), width <= narrow_bits);
	if (width > narrow_bits) {
		ASSERT_EQ(counters, before);
		return;
	}
	for (std::size_t i = 0; i < values.size(); ++i)
		ASSERT_EQ(load_le<T>(counters.data() + i * sizeof(T)), static_cast<T>(values[i] + i)) << i;
	ASSERT_TRUE(std::all_of(counters.end() - 16, counters.end(), [](std::uint8_t byte) { return byte == junk; }));
}

void check_block(const Values &values)
{
	const Image image = encode(values);
	const auto count = static_cast<std::uint32_t>(values.size());
	ASSERT_LE(image.size(), largest_block);
	BlockReader reader;
	ASSERT_TRUE(reader.open(image, count));
	ASSERT_EQ(reader.size(), image.size());
	Block block;
	reader.read(block);
	ASSERT_TRUE(std::equal(values.begin(), values.end(), block.begin()));
	for (std::uint32_t i = 0; i < count; ++i)
		ASSERT_EQ(reader.counter(i), values[i]);
	adds_narrow<std::uint32_t>(reader, values);
	adds_narrow<std::uint64_t>(reader, values);
	for (std::size_t size = 0; size < image.size(); ++size)
		ASSERT_FALSE(reader.open(Image(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size)), count));
}

TEST(CmsBlock, RoundTrip)
{
	Random random(1);
	for (int most_bits = 0; most_bits <= 63; ++most_bits)
		for (const std::size_t count : {1u, 2u, 7u, 127u, 128u}) {
			Values even(count), few(count), high(count);
			for (std::size_t i = 0; i < count; ++i) {
				even[i] = low_bits(random.next(), most_bits);
				few[i] = random.below(20) == 0 ? skewed(random, most_bits) : random.below(5);
				high[i] = INT64_MAX - skewed(random, most_bits);
			}
			for (const Values &values : {even, few, high})
				check_block(values);
		}
}

// The width is the best one: no other takes fewer bits, and of equals it is the
// largest.
TEST(CmsBlock, WidthIsTheBest)
{
	Random random(2);
	for (int round = 0; round < 500; ++round) {
		Values values(1 + random.below(128));
		for (std::uint64_t &value : values)
			value = skewed(random, static_cast<int>(random.below(64)));
		const BlockHead head = BlockCode(values).head();
		const std::uint64_t base = *std::min_element(values.begin(), values.end());
		const int widest = std::bit_width(*std::max_element(values.begin(), values.end()) - base);
		std::size_t least = SIZE_MAX;
		int best = 0;
		for (int width = 0; width <= std::min(widest, 56); ++width) {
			std::size_t exceptions = 0;
			for (const std::uint64_t value : values)
				exceptions += (value - base) >> width != 0;
			const std::size_t bits = values.size() * static_cast<std::size_t>(width) +
			                         exceptions * static_cast<std::size_t>(7 + widest - width);
			if (bits <= least) {
				least = bits;
				best = width;
			}
		}
		ASSERT_EQ(head.width, best);
		ASSERT_EQ(head.bits_size(values.size()), (least + 7) / 8);
	}
}

// 1, 2, .. 8 are 0..7 over a base of 1: w = 3, b = 1.
TEST(CmsBlock, Example)
{
	EXPECT_EQ(test::to_hex(encode({1, 2, 3, 4, 5, 6, 7, 8})), "030008" "01" "88c6fa");
	EXPECT_EQ(test::to_hex(encode({0, 0, 0})), "000000");
	EXPECT_EQ(test::to_hex(encode({5, 5, 5})), "000008" "05");
	Values exception(128);
	exception[3] = 9;
	EXPECT_EQ(test::to_hex(encode(exception)), "408000" "8304") << "w = 0, e = 1, h = 4: 3, then 9";
}

TEST(CmsBlock, RefusesImpossibleHeads)
{
	const Image long_enough(2'000);
	const auto opens = [&](int width, int base_bytes) {
		Image image = long_enough;
		BlockHead{width, 0, 0, base_bytes}.write(image.data());
		BlockReader reader;
		return reader.open(image, 128);
	};
	EXPECT_TRUE(opens(56, 8));
	EXPECT_FALSE(opens(57, 0));
	EXPECT_FALSE(opens(63, 0));
	EXPECT_FALSE(opens(0, 9));
	EXPECT_FALSE(opens(0, 31));
}

void check_sparse(const std::vector<Counter> &counters, Geometry geometry)
{
	const SparseCode code(counters, geometry);
	Image image(code.size()), high(code.size(), 0xFF);
	code.write(image.data());
	code.write(high.data());
	ASSERT_EQ(image, high);
	const auto count = static_cast<std::uint32_t>(counters.size());
	SparseReader reader(image, count, geometry);
	Counter read;
	for (const Counter &counter : counters) {
		ASSERT_TRUE(reader.next(read));
		ASSERT_EQ(read.position, counter.position);
		ASSERT_EQ(read.value, counter.value);
	}
	ASSERT_FALSE(reader.next(read));
	ASSERT_EQ(reader.finish(), Malformed::no);
	if (image.empty())
		return;
	image.pop_back();
	SparseReader shorter(image, count, geometry);
	while (shorter.next(read)) {
	}
	ASSERT_NE(shorter.finish(), Malformed::no);
}

TEST(CmsSparse, RoundTrip)
{
	Random random(3);
	for (const Geometry geometry : {Geometry{4, 1}, Geometry{136, 5}, Geometry{1u << 20, 32}})
		for (int most_bits = 1; most_bits <= 63; most_bits += 2)
			for (const std::uint64_t spacing : {1u, 2u, 300u, 1'000'000u}) {
				std::vector<Counter> counters;
				std::uint64_t position = random.below(spacing);
				for (; position < geometry.counters() && counters.size() < 200; position += 1 + random.below(spacing))
					counters.push_back({static_cast<std::uint32_t>(position), std::max<std::uint64_t>(1, skewed(random, most_bits))});
				check_sparse(counters, geometry);
			}
	check_sparse({{(1u << 25) - 1, INT64_MAX}}, {1u << 20, 32});
	check_sparse({{0, INT64_MAX}, {1, INT64_MAX}, {2, 1}}, {1u << 20, 32});
}

// The same counter can be read with any k; it is written with one.
TEST(CmsSparse, OneParameterForValues)
{
	constexpr Geometry geometry{136, 5};
	for (const int k : {0, 1, 2, 3}) {
		Image image(16);
		BitWriter writer(image.data());
		writer.put(static_cast<std::uint64_t>(k), 6);
		writer.put(1, 1);
		writer.put(3, rice_bits(1, geometry.counters()));
		const std::uint64_t shifted = 2 - 1 + (std::uint64_t{1} << k);
		const int n = std::bit_width(shifted) - 1;
		writer.put(std::uint64_t{1} << (n - k), n - k + 1);
		writer.put(low_bits(shifted, n), n);
		writer.finish();
		const std::size_t bits = static_cast<std::size_t>(6 + 1 + rice_bits(1, geometry.counters()) + 2 * n - k + 1);
		image.resize((bits + 7) / 8);
		SparseReader reader(image, 1, geometry);
		Counter counter;
		ASSERT_TRUE(reader.next(counter));
		EXPECT_EQ(counter.position, 3u);
		EXPECT_EQ(counter.value, 2u);
		EXPECT_FALSE(reader.next(counter));
		EXPECT_EQ(reader.finish(), k == 1 ? Malformed::no : Malformed::not_canonical);
	}
}

TEST(CmsPacked, Directory)
{
	EXPECT_EQ(directory_size(1), 0u);
	EXPECT_EQ(directory_size(16 * 128), 0u);
	EXPECT_EQ(directory_size(16 * 128 + 1), 4u);
	EXPECT_EQ(directory_size(32 * 128), 4u);
	EXPECT_EQ(directory_size(32 * 128 + 1), 8u);
	EXPECT_EQ(directory_size(max_counters), 4u * ((1u << 14) - 1));
}

TEST(CmsVarint, EveryLength)
{
	for (int bits = 0; bits <= 63; ++bits)
		for (const std::uint64_t value : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
			if (value > INT64_MAX)
				continue;
			Image image(varint_size(value));
			ASSERT_EQ(write_varint(image.data(), value), image.data() + image.size());
			Bytes from(image);
			std::uint64_t read;
			ASSERT_EQ(take_varint(from, read), Malformed::no);
			ASSERT_EQ(read, value);
			ASSERT_TRUE(from.empty());
			from = Bytes(image).first(image.size() - 1);
			ASSERT_EQ(take_varint(from, read), Malformed::too_short);
		}
	const auto reason = [](const char *hex) {
		const Image image = test::from_hex(hex);
		Bytes from(image);
		std::uint64_t read;
		return take_varint(from, read);
	};
	EXPECT_EQ(reason("8000"), Malformed::bad_count) << "0 in two bytes";
	EXPECT_EQ(reason("ffffffffffffffff7f"), Malformed::no) << "2^63 - 1";
	EXPECT_EQ(reason("80808080808080808001"), Malformed::too_short) << "ten bytes";
}

}  // namespace
}  // namespace bloomsketch::cms
