// Where a value's bits are, against big integers and a slow and plain version.
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "bloom/block.hpp"
#include "random.hpp"

namespace bloomsketch::bloom {
namespace {

// The product of two words in four of 32 bits, lowest first, by hand.
std::array<std::uint64_t, 4> product(std::uint64_t a, std::uint64_t b)
{
	const std::uint64_t x[] = {a & 0xFFFFFFFF, a >> 32}, y[] = {b & 0xFFFFFFFF, b >> 32};
	std::array<std::uint64_t, 4> words{};
	for (std::size_t i = 0; i < 2; ++i)
		for (std::size_t j = 0; j < 2; ++j) {
			std::uint64_t carry = x[i] * y[j];
			for (std::size_t at = i + j; carry != 0; ++at) {
				const std::uint64_t low = words[at] + (carry & 0xFFFFFFFF);
				words[at] = low & 0xFFFFFFFF;
				carry = (carry >> 32) + (low >> 32);
			}
		}
	return words;
}

std::uint64_t block_by_hand(Hash64 hash, std::uint64_t blocks)
{
	const auto words = product(hash, blocks);
	return words[3] << 32 | words[2];
}

// The positions of h: the highest bits of h g, h g^2, ... modulo 2^64.
std::vector<std::uint32_t> positions_by_hand(Hash64 hash, int hashes, int block_bits_log2)
{
	std::vector<std::uint32_t> positions;
	std::uint64_t remixed = hash;
	for (int i = 0; i < hashes; ++i) {
		const auto words = product(remixed, 0x9E3779B97F4A7C15);
		remixed = words[1] << 32 | words[0];
		positions.push_back(static_cast<std::uint32_t>(remixed / (std::uint64_t{1} << (64 - block_bits_log2))));
	}
	return positions;
}

std::vector<std::uint32_t> positions(Hash64 hash, int hashes, int block_bits_log2)
{
	std::vector<std::uint32_t> positions;
	each_bit(hash, hashes, block_bits_log2, [&](std::size_t word, std::uint64_t mask) {
		EXPECT_TRUE(std::has_single_bit(mask));
		positions.push_back(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(mask)));
		return true;
	});
	return positions;
}

TEST(BloomBlock, BlockIsTheShareOfTheHash)
{
	test::Random random(1);
	for (int round = 0; round < 100'000; ++round) {
		const Hash64 hash = random.next() >> random.below(64);
		const std::uint64_t blocks = 1 + (random.next() >> random.below(64)) % (std::uint64_t{1} << 40);
		const std::uint64_t block = block_of(hash, blocks);
		ASSERT_EQ(block, block_by_hand(hash, blocks)) << hash << ", " << blocks;
		ASSERT_LT(block, blocks);
	}
	for (const std::uint64_t blocks : {1u, 2u, 3u, 19'371u}) {
		EXPECT_EQ(block_of(0, blocks), 0u);
		EXPECT_EQ(block_of(~Hash64{0}, blocks), blocks - 1);
	}
}

TEST(BloomBlock, PositionsAreRemixed)
{
	test::Random random(2);
	for (int round = 0; round < 10'000; ++round) {
		const Hash64 hash = random.next() >> random.below(64);
		for (const int log2 : {small_block_bits_log2, large_block_bits_log2})
			ASSERT_EQ(positions(hash, max_hashes, log2), positions_by_hand(hash, max_hashes, log2)) << hash;
	}
	EXPECT_EQ(positions(1, 3, 9), (std::vector<std::uint32_t>{316, 446, 192}));
	EXPECT_EQ(positions(1, 3, 12), (std::vector<std::uint32_t>{2531, 3572, 1540}));
}

TEST(BloomBlock, AddSetsExactlyThePositions)
{
	test::Random random(3);
	for (int round = 0; round < 2'000; ++round) {
		const int log2 = round % 2 != 0 ? small_block_bits_log2 : large_block_bits_log2;
		const int hashes = 1 + static_cast<int>(random.below(max_hashes));
		const Hash64 hash = random.next();
		std::vector<std::uint8_t> block(std::size_t{1} << (log2 - 3));
		add_to_block(block.data(), hash, hashes, log2);
		const auto expected = positions_by_hand(hash, hashes, log2);
		const std::set<std::uint32_t> set(expected.begin(), expected.end());
		for (std::uint32_t p = 0; p < 8 * block.size(); ++p)
			ASSERT_EQ(block[p / 8] >> p % 8 & 1, set.contains(p) ? 1 : 0);
		ASSERT_TRUE(block_contains(block.data(), hash, hashes, log2));
		for (const std::uint32_t p : set) {  // any one of them away, and it is denied
			block[p / 8] ^= static_cast<std::uint8_t>(1 << p % 8);
			ASSERT_FALSE(block_contains(block.data(), hash, hashes, log2));
			block[p / 8] ^= static_cast<std::uint8_t>(1 << p % 8);
		}
	}
}

// A look-up stops at the first bit that is not set.
TEST(BloomBlock, StopsEarly)
{
	for (int stop = 1; stop <= 5; ++stop) {
		int calls = 0;
		EXPECT_FALSE(each_bit(12345, 9, 9, [&](std::size_t, std::uint64_t) { return ++calls < stop; }));
		EXPECT_EQ(calls, stop);
	}
}

// OR-ing d adjacent blocks gives the filter of N / d blocks.
TEST(BloomBlock, Folds)
{
	constexpr std::uint64_t most = 5'040;
	const int log2 = small_block_bits_log2;
	const std::size_t bytes = std::size_t{1} << (log2 - 3);
	const auto build = [&](std::uint64_t blocks) {
		std::vector<std::uint8_t> body(blocks * bytes);
		test::Random random(4);
		for (int i = 0; i < 50'000; ++i) {
			const Hash64 hash = random.next();
			add_to_block(body.data() + block_of(hash, blocks) * bytes, hash, 6, log2);
		}
		return body;
	};
	const std::vector<std::uint8_t> large = build(most);
	for (const std::uint64_t d : {2u, 3u, 5u, 7u, 16u, 63u, 720u, 5'040u}) {
		std::vector<std::uint8_t> folded(most / d * bytes);
		for (std::size_t i = 0; i < large.size(); ++i)
			folded[i / bytes / d * bytes + i % bytes] |= large[i];
		ASSERT_EQ(folded, build(most / d)) << d;
	}
}

// Positions are even over the block, and any two of a value's independent, as
// far as a false positive rate can tell: counts of a position over n values
// deviate by sqrt(n / B); 512 * 16 of them stay below 5.5 sigma but once in 3,000.
TEST(BloomBlock, PositionsAreEven)
{
	constexpr int values = 400'000, hashes = 16;
	std::vector<std::array<double, 512>> counts(hashes);
	test::Random random(5);
	for (int i = 0; i < values; ++i) {
		const auto at = positions(random.next(), hashes, small_block_bits_log2);
		for (std::size_t probe = 0; probe < hashes; ++probe)
			++counts[probe][at[probe]];
	}
	const double expected = values / 512.;
	for (const auto &probe : counts)
		for (const double count : probe)
			ASSERT_NEAR(count, expected, 5.5 * std::sqrt(expected));
}

// Blocks are chosen by the hash's high bits and positions remixed from all: the
// values of one block have even positions too.
TEST(BloomBlock, PositionsWithinOneBlockAreEven)
{
	constexpr int values = 200'000, hashes = 6;
	constexpr std::uint64_t blocks = 19'371;
	std::vector<std::array<double, 512>> counts(hashes);
	test::Random random(6);
	for (int i = 0; i < values; ++i) {
		const Hash64 hash = 777 * (~Hash64{0} / blocks) + 888 + random.next() / (blocks + 1);
		ASSERT_EQ(block_of(hash, blocks), 777u);
		const auto at = positions(hash, hashes, small_block_bits_log2);
		for (std::size_t probe = 0; probe < hashes; ++probe)
			++counts[probe][at[probe]];
	}
	const double expected = values / 512.;
	for (const auto &probe : counts)
		for (const double count : probe)
			ASSERT_NEAR(count, expected, 5.5 * std::sqrt(expected));
}

}  // namespace
}  // namespace bloomsketch::bloom
