// What the bits of a filter say about it, where it turns: a hundredth of the blocks
// full, 1.25 times the target rate, twice the target rate.
#include <cmath>

#include <gtest/gtest.h>

#include "bloom/fill.hpp"

namespace bloomsketch::bloom {
namespace {

// So many blocks of 512 bits, `full` of them full and the others with `bits` set.
Fill blocks(int all, int full, std::uint32_t bits = 100)
{
	Fill fill(7, small_block_bits_log2);
	for (int i = 0; i < all; ++i)
		fill.add(i < full ? 512 : bits);
	return fill;
}

TEST(BloomFill, TellsItemsWhileAHundredthIsFull)
{
	EXPECT_TRUE(blocks(1, 0).tells_items());
	EXPECT_TRUE(blocks(1'000, 0).tells_items());
	EXPECT_TRUE(blocks(1'000, 0, 511).tells_items()) << "one bit short of full is not full";
	EXPECT_TRUE(blocks(1'000, 1).tells_items());
	EXPECT_TRUE(blocks(100, 1).tells_items());
	EXPECT_TRUE(blocks(1'000, 10).tells_items()) << "a hundredth";
	EXPECT_FALSE(blocks(1'000, 11).tells_items()) << "more than a hundredth";
	EXPECT_FALSE(blocks(99, 1).tells_items());
	EXPECT_FALSE(blocks(1, 1).tells_items());
	EXPECT_FALSE(blocks(1'000, 1'000).tells_items());
}

// Blocks of either size are full only with all their bits.
TEST(BloomFill, LargeBlocksAreFullWithAllTheirBits)
{
	Fill fill(7, large_block_bits_log2);
	fill.add(512);
	fill.add(4'095);
	EXPECT_TRUE(fill.tells_items());
	fill.add(4'096);
	EXPECT_FALSE(fill.tells_items());
}

// What tells_items() warns of: with a full block the items are a lower bound.
TEST(BloomFill, FullBlocksCountAsHalfABitShort)
{
	const double of_full = std::log(1.0 / 1'024) / (7 * std::log1p(-1.0 / 512));
	const double of_most = std::log(1.0 / 512) / (7 * std::log1p(-1.0 / 512));
	EXPECT_NEAR(blocks(1, 1).items(), of_full, 1e-9);
	EXPECT_NEAR(blocks(10, 1, 511).items(), of_full + 9 * of_most, 1e-9);
	EXPECT_EQ(blocks(10, 0, 0).items(), 0);
}

// The targets are such that both limits are doubles.
TEST(BloomFill, SaturatedBeyondAQuarterMore)
{
	for (const double target : {0x1p-40, 0x1p-7, 0.25, 0.5}) {
		EXPECT_FALSE(Fill::is_saturated(0, target));
		EXPECT_FALSE(Fill::is_saturated(target, target));
		EXPECT_FALSE(Fill::is_saturated(1.25 * target, target));
		EXPECT_TRUE(Fill::is_saturated(std::nextafter(1.25 * target, 1), target));
	}
	EXPECT_FALSE(Fill::is_saturated(1, 0.8));
	EXPECT_FALSE(Fill::is_saturated(1, 0.9)) << "no rate is 1.25 times that";
	EXPECT_TRUE(Fill::is_saturated(1, 0.79));
}

TEST(BloomFill, OverfullBeyondTwice)
{
	for (const double target : {0x1p-40, 0x1p-7, 0.25}) {
		EXPECT_FALSE(Fill::is_overfull(0, target));
		EXPECT_FALSE(Fill::is_overfull(1.99 * target, target));
		EXPECT_FALSE(Fill::is_overfull(2 * target, target));
		EXPECT_TRUE(Fill::is_overfull(std::nextafter(2 * target, 1), target));
	}
	EXPECT_FALSE(Fill::is_overfull(1, 0.5)) << "no rate is twice that";
	EXPECT_TRUE(Fill::is_overfull(1, 0.49));
}

}  // namespace
}  // namespace bloomsketch::bloom
