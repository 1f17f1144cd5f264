// What the bits of a Bloom filter say about it: its false positive rate as it
// stands, and how many values it holds.
//
// A block of B bits, s of them set, answers a false yes with probability
// (s / B)^k, and holds about ln(1 - s / B) / (k ln(1 - 1 / B)) values. Both depend
// on s alone, so that blocks are counted by s first.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "bloom/sizing.hpp"
#include "common/bytes.hpp"
#include "common/interrupts.hpp"

namespace bloomsketch::bloom {

// The bits set in `size` bytes, a multiple of 64. In bytes of words side by side,
// which the compiler turns into vectors: every processor has those, and not every
// one an instruction for it.
inline std::uint32_t count_bits(const std::uint8_t *from, std::size_t size)
{
	constexpr std::uint64_t ones = 0x0101010101010101;
	std::uint32_t set = 0;
	for (std::size_t at = 0; at < size; at += 64) {
		std::uint64_t bytes = 0;  // at most 8 times 8 in each
		for (std::size_t i = 0; i < 64; i += 8) {
			std::uint64_t word = load_le<std::uint64_t>(from + at + i);
			word -= word >> 1 & 0x55 * ones;
			word = (word & 0x33 * ones) + (word >> 2 & 0x33 * ones);
			bytes += (word + (word >> 4)) & 0x0F * ones;
		}
		// Pairs of bytes first: all eight may add up to 512.
		bytes = (bytes & 0x00FF00FF00FF00FF) + (bytes >> 8 & 0x00FF00FF00FF00FF);
		set += static_cast<std::uint32_t>(bytes * 0x0001000100010001 >> 48);
	}
	return set;
}

class Fill {
public:
	Fill(int hashes, int block_bits_log2)
		: hashes_(static_cast<std::uint64_t>(hashes)), block_bits_(std::size_t{1} << block_bits_log2)
	{
		std::fill_n(blocks_with_.begin(), block_bits_ + 1, std::uint32_t{0});
	}

	void add(std::uint32_t bits_set) { ++blocks_with_[bits_set]; }

	std::uint64_t bits_set() const
	{
		std::uint64_t set = 0;
		each([&](std::uint64_t blocks, std::size_t bits) { set += blocks * bits; });
		return set;
	}

	double expected_rate() const
	{
		double rates = 0, blocks_in_all = 0;
		each([&](std::uint64_t blocks, std::size_t bits) {
			rates += static_cast<double>(blocks) * power(share(bits), hashes_);
			blocks_in_all += static_cast<double>(blocks);
		});
		return rates / blocks_in_all;
	}

	// The estimated number of distinct values (Swamidass and Baldi 2007, block by
	// block). A full block tells only that there were many: it counts as half a
	// bit short of full.
	double items() const
	{
		const double one_value = static_cast<double>(hashes_) * std::log1p(-share(1));
		double items = 0;
		each([&](std::uint64_t blocks, std::size_t bits) {
			const double set = bits < block_bits_ ? share(bits) : 1 - share(1) / 2;
			items += static_cast<double>(blocks) * (std::log1p(-set) / one_value);
		});
		return items;
	}

	// Beyond 1.25 times its target rate a filter is saturated. Beyond twice, its
	// answers are not what it was made for, and nothing else would tell.
	static bool is_saturated(double rate, double target) { return rate > 1.25 * target; }
	static bool is_overfull(double rate, double target) { return rate > 2 * target; }

	// False where more than a hundredth of the blocks is full, so that items() may be
	// far below what was added.
	bool tells_items() const
	{
		std::uint64_t blocks_in_all = 0;
		each([&](std::uint64_t blocks, std::size_t) { blocks_in_all += blocks; });
		return std::uint64_t{blocks_with_[block_bits_]} * 100 <= blocks_in_all;
	}

private:
	double share(std::size_t bits) const { return static_cast<double>(bits) / static_cast<double>(block_bits_); }

	template <class Use>
	void each(Use use) const
	{
		for (std::size_t bits = 0; bits <= block_bits_; ++bits)
			if (blocks_with_[bits] != 0)
				use(std::uint64_t{blocks_with_[bits]}, bits);
	}

	std::uint64_t hashes_;
	std::size_t block_bits_;
	std::array<std::uint32_t, (std::size_t{1} << large_block_bits_log2) + 1> blocks_with_;
};

// Counts the bits of all blocks of a filter of either type that has such.
template <class Filter>
Fill measure_whole(const Filter &filter)
{
	Fill fill(filter.parameters().hashes, filter.parameters().block_bits_log2());
	const std::uint64_t step = chunk_bytes / filter.parameters().block_bytes();
	for (std::uint64_t first = 0; first < filter.blocks(); first += step) {
		check_for_interrupts();
		filter.measure(first, std::min(first + step, filter.blocks()), fill);
	}
	return fill;
}

}  // namespace bloomsketch::bloom
