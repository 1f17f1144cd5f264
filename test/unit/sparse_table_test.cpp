// The working table of entries, against a map from index to highest rank.
#include <map>

#include <gtest/gtest.h>

#include "hll/sparse_table.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

struct Table {
	explicit Table(std::uint32_t slots) : body(SparseTable::count_size + slots * sizeof(Entry)), table(body) {}

	std::map<std::uint32_t, std::uint32_t> contents() const
	{
		std::map<std::uint32_t, std::uint32_t> found;
		for (std::uint32_t slot = 0; slot < table.slots(); ++slot)
			if (const Entry entry = table.get(slot); entry != 0) {
				const bool is_new = found.emplace(entry >> rank_bits, entry & rank_mask).second;
				EXPECT_TRUE(is_new) << "index " << (entry >> rank_bits) << " is there twice";
			}
		return found;
	}

	test::Image body;
	SparseTable table;
};

// Inserts random entries with indexes below 2^index_width, put at the top of the
// index's bits shifted down by `shift`: few indexes, so that ranks rise often,
// and crowds anywhere in the table.
void compare_with_map(std::uint32_t slots, std::uint32_t limit, int index_width, int shift)
{
	test::Random random(slots * 64 + limit);
	Table made(slots);
	std::map<std::uint32_t, std::uint32_t> expected;
	const std::uint32_t room = std::min(limit, SparseTable::capacity(slots));
	for (std::uint32_t round = 0; round < 20 * slots + 200; ++round) {
		const auto narrow = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << index_width));
		const std::uint32_t index = narrow << (index_bits - index_width) >> shift;
		const auto rank = static_cast<std::uint32_t>(random.below(max_entry_rank) + 1);
		const auto known = expected.find(index);
		Change change = Change::done;
		if (known != expected.end())
			change = rank > known->second ? Change::done : Change::none;
		else if (expected.size() == room)
			change = Change::no_room;
		ASSERT_EQ(made.table.insert(index << rank_bits | rank, limit), change) << "round " << round;
		if (change == Change::done)
			expected[index] = rank;
		ASSERT_EQ(made.table.count(), expected.size());
	}
	EXPECT_EQ(made.contents(), expected);
}

TEST(SparseTable, IsAMapWithHighestRanks)
{
	for (const std::uint32_t slots : {1u, 2u, 3u, 5u, 13u, 100u, 1'021u})
		for (const std::uint32_t limit : {1u, 2u, 10u, 100'000u})
			for (const int index_width : {2, 6, 11, 26})
				for (const int shift : {0, 7, 20}) {
					SCOPED_TRACE(std::to_string(slots) + " slots, limit " + std::to_string(limit));
					compare_with_map(slots, limit, std::min(index_width, index_bits - shift), shift);
					if (HasFatalFailure())
						return;
				}
}

// Entries of one index that differ in rank alone share a home slot wherever the
// borders between slots lie.
TEST(SparseTable, FindsAnIndexWhateverItsRank)
{
	Table made(65'531);
	for (std::uint32_t i = 0; i < 40'000; ++i) {
		const Entry index = i * 1'677 << rank_bits;
		const Change first = made.table.insert(index | 1, UINT32_MAX);
		ASSERT_EQ(first, Change::done);
		ASSERT_EQ(made.table.insert(index | 39, UINT32_MAX), Change::done);
		ASSERT_EQ(made.table.insert(index | 1, UINT32_MAX), Change::none);
		ASSERT_EQ(made.table.count(), i + 1);
	}
}

TEST(SparseTable, EndsOnAFullTable)
{
	Table made(4);
	for (std::uint32_t slot = 0; slot < 4; ++slot)  // as hostile bytes may have it
		store_le(made.body.data() + SparseTable::count_size + 4 * slot, Entry{(slot + 1) << 20 | 1});
	EXPECT_EQ(made.table.insert(9u << 20 | 1, 100), Change::no_room);
}

TEST(SparseTable, CapacityLeavesSlotsFree)
{
	EXPECT_EQ(SparseTable::capacity(13), 10u);
	for (std::uint32_t slots = 2; slots < 100; ++slots)
		EXPECT_LT(SparseTable::capacity(slots), slots);
	EXPECT_EQ(SparseTable::capacity(UINT32_MAX), 3'435'973'836u);
}

}  // namespace
}  // namespace bloomsketch::hll
