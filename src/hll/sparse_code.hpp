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

#include "common/bytes.hpp"
#include "common/malformed.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

// Gaps are near geometric with mean 2^26 / n. The best Rice parameter is the
// logarithm of 2 ln((1 + sqrt 5) / 2) = 0.9624 times the mean (Kiely 2004), and
// 123/128 is close to that.
constexpr int rice_bits(std::uint32_t count)
{
	const std::uint64_t scaled = (std::uint64_t{123} << (index_bits - 7)) / count;
	return static_cast<int>(std::bit_width(scaled)) - 1;
}

class BitWriter {
public:
	explicit BitWriter(std::uint8_t *to) : next_(to) {}

	// Appends the low `width` <= 32 bits of `bits`, whose other bits are zero.
	void put(std::uint32_t bits, int width)
	{
		window_ |= std::uint64_t{bits} << filled_;
		for (filled_ += width; filled_ >= 8; filled_ -= 8) {
			*next_++ = static_cast<std::uint8_t>(window_);
			window_ >>= 8;
		}
	}

	void put_zeros(std::uint32_t count)
	{
		for (; count > 32; count -= 32)
			put(0, 32);
		put(0, static_cast<int>(count));
	}

	void finish()
	{
		if (filled_ > 0)
			*next_++ = static_cast<std::uint8_t>(window_);
	}

private:
	std::uint8_t *next_;
	std::uint64_t window_ = 0;
	int filled_ = 0;  // < 8 between calls
};

class BitReader {
public:
	explicit BitReader(Bytes from) : from_(from), bit_count_(from.size() * 8) {}

	// Counts zeros up to the next one and passes it. False if none is left, or
	// only behind more zeros than there are indexes.
	bool take_unary(std::uint32_t &zeros)
	{
		zeros = 0;
		std::uint64_t window = peek();
		while (window == 0) {
			zeros += peeked_bits;
			position_ += peeked_bits;
			if (position_ >= bit_count_ || zeros >> index_bits != 0)
				return false;
			window = peek();
		}
		const int run = std::countr_zero(window);
		zeros += static_cast<std::uint32_t>(run);
		position_ += static_cast<std::size_t>(run) + 1;
		return true;
	}

	// Reads `width` <= 32 bits; past the end they read as zeros.
	std::uint32_t take(int width)
	{
		const std::uint64_t window = peek();
		position_ += static_cast<std::size_t>(width);
		return static_cast<std::uint32_t>(window & ((std::uint64_t{1} << width) - 1));
	}

	// What there is to say once everything was read.
	Malformed finish() const
	{
		if (position_ > bit_count_)
			return Malformed::too_short;
		if (bit_count_ - position_ >= 8)
			return Malformed::wrong_length;
		return position_ < bit_count_ && peek() != 0 ? Malformed::bad_padding : Malformed::no;
	}

private:
	static constexpr int peeked_bits = 57;  // at least so many of peek() are real

	std::uint64_t peek() const
	{
		const std::size_t at = position_ / 8;
		std::uint64_t window;
		if (at + sizeof(window) <= from_.size()) {
			window = load_le<std::uint64_t>(from_.data() + at);
		} else {
			window = 0;
			for (std::size_t i = at; i < from_.size(); ++i)
				window |= std::uint64_t{from_[i]} << (8 * (i - at));
		}
		return window >> (position_ % 8);
	}

	Bytes from_;
	std::size_t bit_count_;
	std::size_t position_ = 0;
};

// Bytes that encode_entries() writes.
inline std::size_t entries_size(std::span<const Entry> entries)
{
	if (entries.empty())
		return 0;
	const int width = rice_bits(static_cast<std::uint32_t>(entries.size()));
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
	const int width = rice_bits(static_cast<std::uint32_t>(entries.size()));
	const std::uint32_t remainder_mask = (1u << width) - 1;
	BitWriter writer(to);
	std::uint32_t expected = 0;
	for (const Entry entry : entries) {
		const std::uint32_t index = entry >> rank_bits;
		const std::uint32_t gap = index - expected;
		writer.put_zeros(gap >> width);
		writer.put(1, 1);
		writer.put(gap & remainder_mask, width);
		if ((entry & rank_mask) != 0)
			writer.put(entry & rank_mask, rank_bits);
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
	const int width = rice_bits(count);
	BitReader reader(code);
	std::uint64_t expected = 0;
	for (std::uint32_t i = 0; i < count; ++i) {
		std::uint32_t quotient;
		if (!reader.take_unary(quotient))
			return Malformed::too_short;
		const std::uint64_t index = expected + (std::uint64_t{quotient} << width) + reader.take(width);
		if (index >> index_bits != 0)
			return Malformed::bad_entry;
		Entry entry = static_cast<Entry>(index) << rank_bits;
		if (index_rest(entry, precision) == 0)
			entry |= reader.take(rank_bits);
		if (!is_valid(entry, precision))
			return Malformed::bad_entry;
		if (!use(entry))
			return Malformed::no;
		expected = index + 1;
	}
	return reader.finish();
}

}  // namespace bloomsketch::hll
