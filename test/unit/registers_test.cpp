// Packed and byte registers, against one register at a time.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "hll/registers.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using test::Image;

Image random_registers(std::size_t count, test::Random &random)
{
	Image registers(count);
	for (std::uint8_t &rank : registers)
		rank = static_cast<std::uint8_t>(random.below(64));
	return registers;
}

// Register i takes bits 6i .. 6i + 5, lowest first.
Image naive_pack(const Image &registers)
{
	Image packed(registers.size() * 6 / 8);
	for (std::size_t bit = 0; bit < registers.size() * 6; ++bit)
		packed[bit / 8] = static_cast<std::uint8_t>(packed[bit / 8] | (registers[bit / 6] >> bit % 6 & 1) << bit % 8);
	return packed;
}

Image pack(const Image &registers)
{
	Image packed(registers.size() / group_registers * group_bytes);
	pack_registers(registers, packed.data());
	return packed;
}

TEST(Registers, PackAndUnpack)
{
	test::Random random(1);
	for (const std::size_t count : {8u, 16u, 24u, 1'024u}) {
		const Image registers = random_registers(count, random);
		const Image packed = pack(registers);
		ASSERT_EQ(packed, naive_pack(registers));
		Image unpacked(count, 0xFF);
		unpack_registers(packed.data(), unpacked);
		ASSERT_EQ(unpacked, registers);
	}
	EXPECT_EQ(test::to_hex(pack({1, 2, 3, 0, 0, 0, 0, 0})), "813000000000") << "the example in registers.hpp";
}

TEST(Registers, EveryIndexAndRank)
{
	for (std::uint8_t rank = 0; rank < 64; ++rank)
		for (std::uint32_t index = 0; index < 32; ++index) {
			Image registers(32, static_cast<std::uint8_t>(63 - rank));
			registers[index] = rank;
			const Image packed = pack(registers);
			Image unpacked(32);
			unpack_registers(packed.data(), unpacked);
			ASSERT_EQ(packed, naive_pack(registers));
			ASSERT_EQ(unpacked, registers);
		}
}

TEST(Registers, GroupsAreInverse)
{
	test::Random random(2);
	for (int round = 0; round < 1'000; ++round) {
		const std::uint64_t bits = random.next() >> 16;
		ASSERT_EQ(gather_group(spread_group(bits)), bits);
	}
}

TEST(Registers, PackedSize)
{
	EXPECT_EQ(packed_size(4), 12u);
	EXPECT_EQ(packed_size(14), 12'288u);
	EXPECT_EQ(packed_size(18), 196'608u);
}

TEST(Registers, MergeTakesTheHigher)
{
	test::Random random(3);
	for (const std::size_t count : {16u, 100u, 1'024u}) {
		const Image a = random_registers(count, random), b = random_registers(count, random);
		Image merged = a;
		merge_registers(merged.data(), b.data(), count);
		for (std::size_t i = 0; i < count; ++i)
			ASSERT_EQ(merged[i], a[i] > b[i] ? a[i] : b[i]);
	}
}

TEST(Registers, HistogramCountsAndAdds)
{
	test::Random random(4);
	const Image registers = random_registers(1'024, random);
	Histogram expected{}, counted{};
	for (const std::uint8_t rank : registers)
		expected[rank] += 2;
	count_ranks(registers, counted);
	count_ranks(registers, counted);
	EXPECT_EQ(counted, expected);
	Histogram wild{};
	count_ranks(Image(16, 0xC1), wild);  // never written beyond the 64
	EXPECT_EQ(std::accumulate(wild.begin(), wild.end(), 0u), 16u);
}

TEST(Registers, RanksInRange)
{
	for (int p = min_precision; p <= max_precision; ++p)
		for (const std::size_t at : {0u, 7u, 15u}) {
			Image registers(16, 0);
			registers[at] = max_rank(p);
			EXPECT_TRUE(ranks_in_range(registers, p));
			++registers[at];
			EXPECT_FALSE(ranks_in_range(registers, p));
		}
}

TEST(Registers, ReduceIsBuildingAtTheLowerPrecision)
{
	test::Random random(5);
	for (int round = 0; round < 300; ++round) {
		const Hash64 hash = random.next() >> random.below(64);
		for (int p = min_precision; p <= max_precision; ++p)
			for (int q = min_precision; q <= p; ++q) {
				const Register reduced = reduce_register(register_of(hash, p), p, q);
				ASSERT_EQ(reduced.index, register_of(hash, q).index);
				ASSERT_EQ(reduced.rank, register_of(hash, q).rank) << hash << " from " << p << " to " << q;
			}
	}
}

// In long double, which holds sums of up to 64 bits.
TEST(Registers, SumsAreThoseOfTheHistogram)
{
	test::Random random(7);
	for (int p = min_precision; p <= max_precision; ++p)
		for (int round = 0; round < 20; ++round) {
			const std::uint32_t m = register_count(p);
			const std::uint8_t top = max_rank(p);
			Histogram histogram{};
			for (std::uint32_t left = m; left > 0;) {
				const auto some = static_cast<std::uint32_t>(1 + random.below(left));
				histogram[round == 0 ? 1 : random.below(top + 1u)] += some;  // all of rank 1: the most there is
				left -= some;
			}
			long double inverse = 0;
			for (int rank = 1; rank < top; ++rank)
				inverse += std::ldexp(static_cast<long double>(histogram[static_cast<std::size_t>(rank)]), 64 - p - rank);
			const RegisterSums sums = sums_of(histogram, p);
			ASSERT_EQ(sums.zeros, histogram[0]);
			ASSERT_EQ(sums.highest, histogram[top]);
			ASSERT_EQ(static_cast<long double>(sums.inverse), inverse);
		}
}

}  // namespace
}  // namespace bloomsketch::hll
