// The coded entries of sparse sketches at rest.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "hll/sparse_code.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using Entries = std::vector<Entry>;
using test::Image;

Image encode(const Entries &entries)
{
	Image code(entries_size(entries));
	encode_entries(entries, code.data());
	return code;
}

// Decodes into `into` as far as it is well formed.
Malformed decode(Bytes code, std::uint32_t count, int p, Entries &into)
{
	into.clear();
	return decode_entries(code, count, p, [&](Entry entry) {
		into.push_back(entry);
		return true;
	});
}

Malformed decode(Bytes code, std::uint32_t count, int p)
{
	Entries ignored;
	return decode(code, count, p, ignored);
}

// `count` entries spread over 2^spread indexes that end at the last one.
Entries random_entries(std::uint32_t count, int spread, int p, test::Random &random)
{
	Entries entries;
	while (entries.size() < count) {
		const Hash64 index = (1u << index_bits) - 1 - random.below(std::uint64_t{1} << spread);
		const Entry entry = entry_of(index << 38 | random.next() >> index_bits >> random.below(39), p);
		if (std::none_of(entries.begin(), entries.end(), [&](Entry e) { return (e ^ entry) <= rank_mask; }))
			entries.push_back(entry);
	}
	std::sort(entries.begin(), entries.end());
	return entries;
}

// Bits as sparse_code.hpp describes them, written one by one.
struct Bits {
	std::vector<bool> bits;

	Bits &zeros(std::size_t count)
	{
		bits.insert(bits.end(), count, false);
		return *this;
	}
	Bits &number(std::uint32_t value, int width)
	{
		for (int i = 0; i < width; ++i)
			bits.push_back(value >> i & 1);
		return *this;
	}
	Bits &append(const Bits &more)
	{
		bits.insert(bits.end(), more.bits.begin(), more.bits.end());
		return *this;
	}
	Image image() const
	{
		Image image((bits.size() + 7) / 8);
		for (std::size_t i = 0; i < bits.size(); ++i)
			image[i / 8] = static_cast<std::uint8_t>(image[i / 8] | bits[i] << i % 8);
		return image;
	}
};

Image naive_encode(const Entries &entries)
{
	const int width = rice_bits(static_cast<std::uint32_t>(entries.size()), most_indexes);
	Bits bits, unary;
	std::uint32_t expected = 0;
	for (const Entry entry : entries) {
		const std::uint32_t gap = (entry >> rank_bits) - expected;
		bits.number(gap, width);
		unary.zeros(gap >> width).number(1, 1);
		if ((entry & rank_mask) != 0)
			unary.number(entry & rank_mask, rank_bits);
		expected = (entry >> rank_bits) + 1;
	}
	return bits.append(unary).image();
}

TEST(SparseCode, RoundTripsAndFollowsTheDescription)
{
	test::Random random(1);
	for (const int p : {4, 10, 14, 18})
		for (const std::uint32_t count : {1u, 2u, 3u, 7u, 64u, 333u})
			for (const int spread : {9, 10, 16, 22, 26}) {
				const Entries entries = random_entries(count, spread, p, random);
				const Image code = encode(entries);
				ASSERT_EQ(code, naive_encode(entries)) << "p " << p << ", " << count << " over 2^" << spread;
				Entries decoded;
				ASSERT_EQ(decode(code, count, p, decoded), Malformed::no);
				ASSERT_EQ(decoded, entries);
			}
}

// Clusters with gaps between them of 60 to 120 times 2^width: more zeros than are
// looked at at once.
TEST(SparseCode, LongGapsAmongShortOnes)
{
	test::Random random(5);
	for (const std::uint32_t count : {300u, 1'000u, 2'000u})
		for (const std::uint32_t jumps : {1u, 2u}) {
			const int width = rice_bits(count, most_indexes);
			std::uint32_t index = 1;
			Entries entries;
			for (std::uint32_t i = 0; i < count; ++i) {
				entries.push_back(entry_of(Hash64{index} << 38 | random.next() >> 26 | 1, 14));
				const bool jumps_here = i % (count / 3) == 5 && i / (count / 3) < jumps;
				index += jumps_here ? static_cast<std::uint32_t>(60 + random.below(60)) << width
				                    : 1 + static_cast<std::uint32_t>(random.below(40));
			}
			ASSERT_LT(index, most_indexes);
			const Image code = encode(entries);
			ASSERT_EQ(code, naive_encode(entries)) << count << ", " << jumps;
			Entries decoded;
			ASSERT_EQ(decode(code, count, 14, decoded), Malformed::no);
			ASSERT_EQ(decoded, entries);
		}
}

// Bit by bit, with the reasons in the order in which reading comes upon them.
Malformed naive_decode(const Image &code, std::uint32_t count, int p, Entries &into)
{
	const std::size_t end = code.size() * 8;
	const int width = rice_bits(count, most_indexes);
	std::size_t remainder_at = 0, at = std::size_t{count} * static_cast<std::size_t>(width);
	const auto take = [&](int bits, std::size_t &at) {
		std::uint32_t number = 0;
		for (int i = 0; i < bits; ++i, ++at)
			number |= (at < end ? code[at / 8] >> at % 8 & 1u : 0u) << i;
		return number;
	};
	into.clear();
	if (at > end)
		return Malformed::too_short;
	std::uint64_t index = 0;
	for (std::uint32_t i = 0; i < count; ++i, ++index) {
		std::uint64_t zeros = 0;
		bool found = false;
		for (; at < end && !found; zeros += !found)
			found = take(1, at) == 1;
		if (!found)
			return Malformed::too_short;
		index += (zeros << width) + take(width, remainder_at);
		if (index >> index_bits != 0)
			return Malformed::bad_entry;
		Entry entry = static_cast<Entry>(index) << rank_bits;
		if (index_rest(entry, p) == 0)
			entry |= take(rank_bits, at);
		if (!is_valid(entry, p))
			return Malformed::bad_entry;
		into.push_back(entry);
	}
	if (at > end)
		return Malformed::too_short;
	if (end - at >= 8)
		return Malformed::wrong_length;
	return take(static_cast<int>(end - at), at) != 0 ? Malformed::bad_padding : Malformed::no;
}

// No neighbour of rice_bits would save more than 0.002 bits an entry: 123/128 is 0.9609,
// where 0.9624 is best.
TEST(SparseCode, RiceParameterIsNearTheBest)
{
	for (std::uint32_t count = 1; count <= 32'768; ++count) {
		const double mean = static_cast<double>(1u << index_bits) / count;
		const auto bits_per_entry = [&](int width) {  // geometric gaps with this mean
			return 1 + width + 1 / (std::pow(1 + 1 / mean, std::exp2(width)) - 1);
		};
		const int width = rice_bits(count, most_indexes);
		EXPECT_LE(bits_per_entry(width), bits_per_entry(width - 1) + 0.002) << count;
		EXPECT_LE(bits_per_entry(width), bits_per_entry(width + 1) + 0.002) << count;
	}
}

TEST(SparseCode, NothingIsEmpty)
{
	EXPECT_EQ(entries_size(Entries()), 0u);
	EXPECT_EQ(decode({}, 0, 14), Malformed::no);
	EXPECT_EQ(decode(Image{0}, 0, 14), Malformed::wrong_length);
}

TEST(SparseCode, StopsWhenAsked)
{
	test::Random random(2);
	const Entries entries = random_entries(50, 26, 14, random);
	std::size_t seen = 0;
	EXPECT_EQ(decode_entries(encode(entries), 50, 14, [&](Entry) { return ++seen < 7; }), Malformed::no);
	EXPECT_EQ(seen, 7u);
}

TEST(SparseCode, RefusesEveryPrefixAndAnyTail)
{
	test::Random random(3);
	const Entries entries = random_entries(40, 26, 14, random);
	Image code = encode(entries);
	for (std::size_t length = 0; length < code.size(); ++length)
		ASSERT_EQ(decode(Bytes(code).first(length), 40, 14), Malformed::too_short) << length;
	code.push_back(0);
	EXPECT_EQ(decode(code, 40, 14), Malformed::wrong_length);
}

// One entry without a rank: 1 + 25 bits, so six bits of padding.
TEST(SparseCode, RefusesPaddingBits)
{
	ASSERT_EQ(rice_bits(1, most_indexes), 25);
	const Image code = Bits().number(3, 25).number(1, 1).image();
	ASSERT_EQ(decode(code, 1, 14), Malformed::no);
	for (int bit = 2; bit < 8; ++bit) {
		Image padded = code;
		padded.back() = static_cast<std::uint8_t>(padded.back() | 1 << bit);
		EXPECT_EQ(decode(padded, 1, 14), Malformed::bad_padding) << bit;
	}
}

TEST(SparseCode, RefusesIndexesBeyondTheLast)
{
	const std::uint32_t last = (1u << 25) - 1;  // behind one zero: 2^26 - 1
	EXPECT_EQ(decode(Bits().number(last, 25).zeros(1).number(1, 1).image(), 1, 14), Malformed::no);
	EXPECT_EQ(decode(Bits().number(0, 25).zeros(2).number(1, 1).number(1, 6).image(), 1, 14), Malformed::bad_entry);
	EXPECT_EQ(decode(Bits().number(0, 25).zeros(20'000).number(1, 1).image(), 1, 14), Malformed::bad_entry);
	// Nothing can follow the last index.
	const int width = rice_bits(2, most_indexes);
	const std::uint32_t gap = (1u << index_bits) - 1;
	Bits two = Bits().number(gap, width).number(0, width).zeros(gap >> width).number(1, 1).number(1, 1).number(1, 6);
	EXPECT_EQ(decode(two.image(), 2, 14), Malformed::bad_entry);
}

TEST(SparseCode, RefusesImpossibleRanks)
{
	for (std::uint32_t rank = 0; rank < 64; ++rank) {
		const Image code = Bits().number(1u << 12, 25).number(1, 1).number(rank, 6).image();
		EXPECT_EQ(decode(code, 1, 14), rank >= 1 && rank <= 39 ? Malformed::no : Malformed::bad_entry) << rank;
	}
}

TEST(SparseCode, RefusesAnotherCount)
{
	test::Random random(4);
	const Image code = encode(random_entries(100, 26, 14, random));
	for (const std::uint32_t count : {1u, 99u, 101u, 120u, 2'048u})
		EXPECT_NE(decode(code, count, 14), Malformed::no) << count;
}

// Whatever the bytes: codes with some bits turned, and bits of any density.
TEST(SparseCode, ReadsWildBytesLikeBitByBit)
{
	test::Random random(6);
	std::map<Malformed, int> seen;
	for (int round = 0; round < 20'000; ++round) {
		const int p = 4 + round % 15;
		std::uint32_t count = 1 + static_cast<std::uint32_t>(random.below(80));
		Image code = encode(random_entries(count, 20 + round % 7, p, random));
		if (round % 5 == 0)
			for (std::uint8_t &byte : code)
				byte = static_cast<std::uint8_t>(round % 2 == 0 ? random.next() & random.next() & random.next() : random.next());
		else if (round % 5 < 4)
			for (int turned = 0; turned < 1 + round % 3; ++turned)
				code[random.below(code.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
		if (round % 7 == 0)
			count += static_cast<std::uint32_t>(random.below(3));
		if (round % 11 == 0)
			code.resize(code.size() + random.below(12));
		Entries entries, expected;
		const Malformed reason = decode(code, count, p, entries);
		ASSERT_EQ(reason, naive_decode(code, count, p, expected)) << "round " << round;
		ASSERT_EQ(entries, expected);
		++seen[reason];
	}
	for (const Malformed reason : {Malformed::no, Malformed::bad_entry, Malformed::too_short, Malformed::wrong_length, Malformed::bad_padding})
		EXPECT_GT(seen[reason], 0) << static_cast<int>(reason);
	EXPECT_EQ(seen.size(), 5u) << "and no others";
}

}  // namespace
}  // namespace bloomsketch::hll
