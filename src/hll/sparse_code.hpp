// The stored form of a sparse HyperLogLog: entries in ascending order of their
// index, as Rice-coded gaps (Rice and Plaunt 1971).
//
// A string of bits (common/bits.hpp): for each entry r in `rice_bits` bits, then
// for each entry
//
//   q zeros and a one          gap = q * 2^rice_bits + r
//   rank in 6 bits             only where entry.hpp has one
//
// where gap is index - previous index - 1, and the first index itself. (With r
// between the others, the next entry would have to wait for it: reading would take
// half as long again.) With the 2^26 indexes evenly hit by n values
// an entry takes log2(2^26 / n) + 1.5 bits: 2.2 bytes at n = 1,000.
#pragma once

#include "common/bits.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

inline constexpr std::uint32_t most_indexes = 1u << index_bits;

// Bytes that encode_entries() writes.
inline std::size_t entries_size(std::span<const Entry> entries)
{
	if (entries.empty())
		return 0;
	const int width = rice_bits(static_cast<std::uint32_t>(entries.size()), most_indexes);
	std::size_t bits = 0;
	std::uint32_t expected = 0;
	for (const Entry entry : entries) {
		const std::uint32_t index = entry >> rank_bits;
		const std::uint32_t has_rank = (entry & rank_mask) != 0;
		bits += ((index - expected) >> width) + 1 + static_cast<std::uint32_t>(width) + has_rank * rank_bits;
		expected = index + 1;
	}
	return (bits + 7) / 8;
}

inline void encode_entries(std::span<const Entry> entries, std::uint8_t *to)
{
	if (entries.empty())
		return;
	const int width = rice_bits(static_cast<std::uint32_t>(entries.size()), most_indexes);
	BitWriter writer(to);
	std::uint32_t expected = 0;
	for (const Entry entry : entries) {
		const std::uint32_t index = entry >> rank_bits;
		writer.put(low_bits(index - expected, width), width);
		expected = index + 1;
	}
	expected = 0;
	for (const Entry entry : entries) {
		const std::uint32_t index = entry >> rank_bits;
		const std::uint32_t rank = entry & rank_mask;
		writer.put_zeros((index - expected) >> width);
		writer.put(1 | rank << 1, rank != 0 ? 1 + rank_bits : 1);
		expected = index + 1;
	}
	writer.finish();
}

// Calls use(entry) for each of `count` entries in ascending order until it
// returns false, and says whether all that was read is well formed. Whatever
// the bytes, entries that are handed out are valid for `precision`.
template <class Use>
Malformed decode_entries(Bytes code, std::uint32_t count, int precision, Use use)
{
	if (count == 0)
		return code.empty() ? Malformed::no : Malformed::wrong_length;
	const int width = rice_bits(count, most_indexes);
	const std::uint64_t scale = std::uint64_t{1} << width;  // a product is quicker than a shift by a variable
	const std::size_t remainders_end = std::size_t{count} * static_cast<unsigned>(width);
	if (remainders_end > code.size() * 8)
		return Malformed::too_short;
	UnaryReader reader(code, remainders_end);
	std::uint64_t expected = 0, zeros;
	std::size_t at = 0;
	for (std::uint32_t i = 0; i < count; ++i, at += static_cast<unsigned>(width)) {
		if (!reader.take_unary(zeros))
			return Malformed::too_short;
		const std::uint64_t index = expected + zeros * scale + (peek_bits(code, at) & (scale - 1));
		if (index >> index_bits != 0)
			return Malformed::bad_entry;
		Entry entry = static_cast<Entry>(index) << rank_bits;
		if (index_rest(entry, precision) == 0) {
			entry |= static_cast<Entry>(reader.take(rank_bits));
			if (!is_valid(entry, precision))
				return Malformed::bad_entry;
		}
		if (!use(entry))
			return Malformed::no;
		expected = index + 1;
	}
	return reader.finish();
}

}  // namespace bloomsketch::hll
