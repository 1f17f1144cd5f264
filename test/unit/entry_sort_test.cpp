// Entries out of a table, in ascending order: even ones, and ones that somebody chose.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "hll/entry_sort.hpp"
#include "hll_building.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using Entries = std::vector<Entry>;

void sorts(Entries entries)
{
	Entries expected = entries;
	std::sort(expected.begin(), expected.end());
	sort_entries(entries);
	ASSERT_EQ(entries, expected) << entries.size() << " entries";
}

TEST(EntrySort, OfAnyNumber)
{
	test::Random random(1);
	for (const std::size_t count : {0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 1'000, 2'048, 4'095, 4'096, 4'097, 32'768}) {
		Entries entries(count);
		for (Entry &entry : entries)
			entry = static_cast<Entry>(random.next()) | 1;
		sorts(entries);
		std::sort(entries.begin(), entries.end());
		sorts(entries);
		std::reverse(entries.begin(), entries.end());
		sorts(entries);
	}
}

// Neighbours, at either end and in clusters of any size: buckets that are empty,
// just small enough and too large.
TEST(EntrySort, OfChosenIndexes)
{
	test::Random random(2);
	for (const std::size_t count : {2, 64, 65, 500, 4'096, 8'192})
		for (std::size_t cluster = 1; cluster <= count; cluster *= 2) {
			Entries entries;
			while (entries.size() < count) {
				const auto first = static_cast<Entry>(random.next());
				for (std::size_t i = 0; i < cluster; ++i)
					entries.push_back(first + static_cast<Entry>(i << rank_bits));
			}
			for (std::size_t i = entries.size(); i > 1; --i)
				std::swap(entries[i - 1], entries[random.below(i)]);
			sorts(entries);
		}
	for (const std::size_t in_one_bucket : {64, 65}) {
		Entries entries;
		for (Entry i = 0; i < 256; ++i)
			entries.push_back(i < in_one_bucket ? 255 - i + 1 : i << 24);
		sorts(entries);
	}
	sorts(Entries(300, UINT32_MAX));
}

TEST(EntrySort, CopiesWhatThereIsRoomFor)
{
	test::Image slots(4 * 7);
	for (const unsigned slot : {0u, 2u, 3u, 6u})
		store_le(slots.data() + 4 * slot, Entry{10 + slot});
	for (std::size_t room = 0; room < 6; ++room) {
		Entries into(room + 1, 99);
		const std::size_t count = copy_entries(slots, std::span(into).first(room));
		Entries expected{10, 12, 13, 16};
		expected.resize(std::min<std::size_t>(room, 4));
		ASSERT_EQ(Entries(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(count)), expected) << room;
		ASSERT_EQ(into[room], 99u);
	}
}

TEST(EntrySort, ReadsAsManyAsThereIsRoomForAtRest)
{
	test::HllBuilding building({14});
	for (Hash64 hash = 1; hash <= 4; ++hash)
		building.add((5 - hash) << 60 | hash);
	const test::Image stored = test::store_hll(building.sketch());
	for (std::size_t room = 0; room < 6; ++room) {
		Entries into(room + 1, 99);
		ASSERT_EQ(test::open_hll(stored)->read_entries(std::span(into).first(room)), std::min<std::size_t>(room, 4));
		ASSERT_TRUE(std::is_sorted(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(room, 4))));
		ASSERT_EQ(into[room], 99u);
	}
}

// A table that has more entries or fewer than it says stores as many as it can.
TEST(EntrySort, OfATableThatMiscounts)
{
	for (const std::uint32_t claimed : {1u, 3u, 6u}) {
		test::HllBuilding building({14});
		for (Hash64 hash = 1; hash <= 4; ++hash)
			building.add(hash << 60 | hash);
		test::Image image = building.image();
		const Sketch sketch = *test::open_hll(image);
		store_le(image.data() + (sketch.body().data() - image.data()), claimed);
		Entries into(claimed);
		const std::size_t count = test::open_hll(image)->read_entries(into);
		ASSERT_EQ(count, std::min(claimed, 4u));
		ASSERT_TRUE(std::is_sorted(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(count)));
	}
}

}  // namespace
}  // namespace bloomsketch::hll
