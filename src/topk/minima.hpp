// Which counter is the least one. Counts lie in blocks of about sqrt(m), and each
// block has a lower bound of its counts. Counts only rise, so adding to one, or taking
// it over, leaves every bound true, and costs nothing.
//
// The search stands at a cursor in a block whose bound no other one is below. A count
// that equals the bound is the least of all. If there is none at the cursor or behind
// it, there is none before it either, since the cursor passed them; so the block's
// true minimum becomes its bound, and the search goes to the block with the least
// bound now. Where many counts are equal, as those of rare values are, the cursor
// mostly takes a step or two; where none are, a search reads about two blocks and all
// bounds. At worst, where the counts of every block have risen above its bound, it reads
// all counts twice and for each block all bounds; then every bound is true again.
#pragma once

#include <algorithm>
#include <array>

#include "common/bytes.hpp"

namespace bloomsketch::topk {

class Minima {
public:
	// `count` counts in blocks of 2^block_bits, 8 bytes each, and their bounds, which
	// begin as 0.
	Minima(const std::uint8_t *counts, std::uint32_t count, std::uint8_t *bounds, std::uint32_t block_bits)
		: counts_(counts), bounds_(bounds), count_(count), block_bits_(block_bits)
	{
	}

	// The number of a least count. `cursor`, which begins as 0, is kept for the next
	// search.
	std::uint32_t least(std::uint32_t &cursor)
	{
		while (true) {
			const std::uint32_t block = cursor >> block_bits_, end = std::min((block + 1) << block_bits_, count_);
			const std::uint64_t bound = at(bounds_, block);
			for (; cursor < end; ++cursor)
				if (at(counts_, cursor) == bound)
					return cursor;
			store_le(bounds_ + std::size_t{block} * 8, least_of(counts_, block << block_bits_, end));
			cursor = block_with_least_bound() << block_bits_;
		}
	}

private:
	static std::uint64_t at(const std::uint8_t *from, std::uint32_t i)
	{
		return load_le<std::uint64_t>(from + std::size_t{i} * 8);
	}

	// Four at a time do not wait for each other.
	static std::uint64_t least_of(const std::uint8_t *from, std::uint32_t first, std::uint32_t end)
	{
		std::array<std::uint64_t, 4> least;
		least.fill(UINT64_MAX);
		for (; first + 4 <= end; first += 4)
			for (std::uint32_t i = 0; i < 4; ++i)
				least[i] = std::min(least[i], at(from, first + i));
		for (; first < end; ++first)
			least[0] = std::min(least[0], at(from, first));
		return *std::min_element(least.begin(), least.end());
	}

	std::uint32_t block_with_least_bound() const
	{
		const std::uint32_t blocks = ((count_ - 1) >> block_bits_) + 1;
		std::uint32_t block = 0;
		const std::uint64_t least = least_of(bounds_, 0, blocks);
		while (at(bounds_, block) != least)
			++block;
		return block;
	}

	const std::uint8_t *counts_;
	std::uint8_t *bounds_;
	std::uint32_t count_;
	std::uint32_t block_bits_;
};

}  // namespace bloomsketch::topk
