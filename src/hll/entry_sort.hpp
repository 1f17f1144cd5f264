// Entries of a hash table in ascending order. Hashes make indexes even, so one
// distribution by their high bits leaves each entry within a few places of where it
// belongs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "common/bytes.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

namespace detail {

// More are sorted by std::sort, in three times the time for each, and so are those
// that are not even because somebody chose the values.
inline constexpr std::size_t most_distributed = 4096;
inline constexpr std::uint16_t largest_bucket = 64;

inline void insertion_sort(std::span<Entry> entries)
{
	for (std::size_t i = 1; i < entries.size(); ++i) {
		const Entry entry = entries[i];
		std::size_t at = i;
		for (; at > 0 && entries[at - 1] > entry; --at)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

// False, and nothing is changed, if a bucket would be large.
inline bool distribute(std::span<Entry> entries)
{
	const int bits = std::bit_width(entries.size()) - 1;
	const auto bucket_of = [shift = 32 - bits](Entry entry) { return std::uint64_t{entry} >> shift; };
	std::array<std::uint16_t, most_distributed> starts;
	const std::span<std::uint16_t> buckets = std::span(starts).first(std::size_t{1} << bits);
	std::fill(buckets.begin(), buckets.end(), std::uint16_t{0});
	for (const Entry entry : entries)
		++buckets[bucket_of(entry)];
	std::uint16_t largest = 0;
	std::uint16_t sum = 0;
	for (std::uint16_t &bucket : buckets) {
		largest = std::max(largest, bucket);
		sum = static_cast<std::uint16_t>(sum + std::exchange(bucket, sum));
	}
	if (largest > largest_bucket)
		return false;
	std::array<Entry, most_distributed> distributed;
	for (const Entry entry : entries)
		distributed[buckets[bucket_of(entry)]++] = entry;
	std::copy_n(distributed.begin(), entries.size(), entries.begin());
	return true;
}

}  // namespace detail

inline void sort_entries(std::span<Entry> entries)
{
	if (!entries.empty() && entries.size() <= detail::most_distributed && detail::distribute(entries))
		detail::insertion_sort(entries);
	else
		std::sort(entries.begin(), entries.end());
}

// Copies what is not 0 out of the slots of a table (sparse_table.hpp), as many as
// there is room for, and gives how many: without a branch on whether a slot is free,
// which nobody can predict.
inline std::size_t copy_entries(Bytes slots, std::span<Entry> into)
{
	std::size_t count = 0;
	for (std::size_t at = 0; at < slots.size() && count < into.size(); at += sizeof(Entry)) {
		into[count] = load_le<Entry>(slots.data() + at);
		count += into[count] != 0;
	}
	return count;
}

}  // namespace bloomsketch::hll
