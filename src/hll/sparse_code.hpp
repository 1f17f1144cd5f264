// The stored form of a sparse HyperLogLog: entries in ascending order of their
// index, as Rice-coded gaps (Rice and Plaunt 1971).
//
// Bits are taken from each byte's lowest upwards. An entry is
//
//   q zeros and a one, r in `rice_bits` bits   gap = q * 2^rice_bits + r
//   rank in 6 bits                             only where entry.hpp has one
//
// where gap is index - previous index - 1, and the first index itself. Unused
// bits of the last byte are zero. With the 2^26 indexes evenly hit by n values
// an entry takes log2(2^26 / n) + 1.5 bits: 2.2 bytes at n = 1,000.
#pragma once

#include <bit>

#include "common/bits.hpp"
#include "hll/entry.hpp"
#include "hll/sparse_quick.hpp"

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
	const std::uint32_t remainder_mask = (1u << width) - 1;
	std::uint32_t expected = 0;
	std::size_t i = 0;
	// The entries behind these are enough to fill eight bytes, with a bit each.
	QuickWriter quick(to);
	for (; i + 64 <= entries.size(); ++i) {
		const std::uint32_t index = entries[i] >> rank_bits;
		const std::uint32_t gap = index - expected;
		const std::uint32_t rank = entries[i] & rank_mask;
		std::uint32_t zeros = gap >> width;
		for (; zeros > 16; zeros -= 16)
			quick.put(0, 16);
		const unsigned size = zeros + 1 + static_cast<unsigned>(width);
		const std::uint64_t code = (std::uint64_t{gap & remainder_mask} << 1 | 1) << zeros;
		quick.put(code | std::uint64_t{rank} << size, size + (rank != 0 ? rank_bits : 0));
		expected = index + 1;
	}
	BitWriter writer(quick.next());
	writer.put(quick.rest(), quick.rest_bits());
	for (; i < entries.size(); ++i) {
		const std::uint32_t index = entries[i] >> rank_bits;
		const std::uint32_t gap = index - expected;
		writer.put_zeros(gap >> width);
		writer.put(1, 1);
		writer.put(gap & remainder_mask, width);
		if ((entries[i] & rank_mask) != 0)
			writer.put(entries[i] & rank_mask, rank_bits);
		expected = index + 1;
	}
	writer.finish();
}

// Reads the entry whose index is `expected` or higher. Inlined, it leaves the reader
// in the processor's registers.
template <class Reader>
[[gnu::always_inline]] inline Malformed decode_entry(Reader &reader, std::uint32_t zeros, int width, int precision, std::uint64_t expected, Entry &entry)
{
	const std::uint64_t index = expected + (std::uint64_t{zeros} << width) + reader.take(width);
	if (index >> index_bits != 0)
		return Malformed::bad_entry;
	entry = static_cast<Entry>(index) << rank_bits;
	if (index_rest(entry, precision) == 0)
		entry |= static_cast<Entry>(reader.take(rank_bits));
	return is_valid(entry, precision) ? Malformed::no : Malformed::bad_entry;
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
	std::uint64_t expected = 0;
	std::uint32_t i = 0;
	std::uint32_t zeros;
	Entry entry;
	QuickReader quick(code);
	for (; i < count && quick.refill() && quick.take_unary(zeros); ++i) {
		if (const Malformed reason = decode_entry(quick, zeros, width, precision, expected, entry); reason != Malformed::no)
			return reason;
		if (!use(entry))
			return Malformed::no;
		expected = (entry >> rank_bits) + 1;
	}
	BitReader reader(code.last((quick.unread() + 7) / 8));
	reader.take(static_cast<int>((8 - quick.unread() % 8) % 8));
	for (; i < count; ++i) {
		if (!reader.take_unary(zeros, most_indexes))
			return Malformed::too_short;
		if (const Malformed reason = decode_entry(reader, zeros, width, precision, expected, entry); reason != Malformed::no)
			return reason;
		if (!use(entry))
			return Malformed::no;
		expected = (entry >> rank_bits) + 1;
	}
	return reader.finish();
}

}  // namespace bloomsketch::hll
