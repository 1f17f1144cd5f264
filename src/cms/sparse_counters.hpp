// The counters of a Count-Min sketch at rest of which few are not 0: as Rice-coded
// gaps (Rice and Plaunt 1971) and exponential Golomb-coded values (Teuhola 1978).
//
// A string of bits (common/bits.hpp): k in 6 bits, then for each counter that is
// not 0, by ascending position
//
//   q zeros and a one, r in g bits        gap = q * 2^g + r
//   n - k zeros and a one, n bits         value - 1 + 2^k = 2^n + those bits
//
// where gap is position - previous position - 1, and the first position itself.
// g follows from how many there are, and k is the mean of floor(log2(value)), rounded
// down. 10 values in 2,719 x 5 counters take 10.9 bits a counter.
#pragma once

#include <span>

#include "cms/counters.hpp"
#include "common/bits.hpp"

namespace bloomsketch::cms {

// The most counters that are stored so. Beyond that a sketch is read faster
// packed (packed_counters.hpp), though it would still be smaller like this.
constexpr std::uint32_t sparse_limit(Geometry geometry) { return geometry.counters() / 8; }

namespace detail {

inline constexpr int value_bits_width = 6;

constexpr int log2_of(std::uint64_t value) { return std::bit_width(value) - 1; }

}  // namespace detail

// Counters to be stored, in ascending order.
class SparseCode {
public:
	SparseCode(std::span<const Counter> counters, Geometry geometry) : counters_(counters)
	{
		if (counters.empty())
			return;
		std::uint64_t logarithms = 0;
		for (const Counter &counter : counters)
			logarithms += static_cast<std::uint64_t>(detail::log2_of(counter.value));
		gap_bits_ = rice_bits(static_cast<std::uint32_t>(counters.size()), geometry.counters());
		value_bits_ = static_cast<int>(logarithms / counters.size());
	}

	std::size_t size() const
	{
		if (counters_.empty())
			return 0;
		std::size_t bits = detail::value_bits_width;
		std::uint32_t expected = 0;
		for (const auto &[position, value] : counters_) {
			const int n = detail::log2_of(shifted(value));
			bits += ((position - expected) >> gap_bits_) + 1 + static_cast<std::size_t>(gap_bits_ + 2 * n - value_bits_ + 1);
			expected = position + 1;
		}
		return (bits + 7) / 8;
	}

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		if (counters_.empty())
			return;
		BitWriter writer(to);
		writer.put(static_cast<std::uint64_t>(value_bits_), detail::value_bits_width);
		std::uint32_t expected = 0;
		for (const auto &[position, value] : counters_) {
			const std::uint32_t gap = position - expected;
			writer.put_zeros(gap >> gap_bits_);
			writer.put(1, 1);
			writer.put(low_bits(gap, gap_bits_), gap_bits_);
			const std::uint64_t bits = shifted(value);
			const int n = detail::log2_of(bits);
			writer.put_zeros(static_cast<std::uint32_t>(n - value_bits_));
			writer.put(1, 1);
			writer.put(low_bits(bits, n), n);
			expected = position + 1;
		}
		writer.finish();
	}

private:
	std::uint64_t shifted(std::uint64_t value) const { return value - 1 + (std::uint64_t{1} << value_bits_); }

	std::span<const Counter> counters_;
	int gap_bits_ = 0;
	int value_bits_ = 0;
};

// Reads them back one by one.
class SparseReader {
public:
	SparseReader(Bytes code, std::uint32_t count, Geometry geometry)
		: reader_(code), left_(count), count_(count), counters_(geometry.counters())
	{
		if (count == 0) {
			reason_ = code.empty() ? Malformed::no : Malformed::wrong_length;
			return;
		}
		gap_bits_ = rice_bits(count, counters_);
		value_bits_ = static_cast<int>(reader_.take(detail::value_bits_width));
	}

	// False when all were read, or where the code is malformed. Whatever the
	// bytes, positions ascend and are counters, and values are from 1 to 2^63 - 1.
	bool next(Counter &counter)
	{
		if (left_ == 0)
			return false;
		std::uint64_t gap, bits;
		if (!take_short(gap, bits) && !take_long(gap, bits))
			return false;
		const std::uint64_t position = expected_ + gap;
		const std::uint64_t value = bits + 1 - (std::uint64_t{1} << value_bits_);
		if (position >= counters_ || value > INT64_MAX)
			return refuse(Malformed::bad_entry);
		counter = {static_cast<std::uint32_t>(position), value};
		logarithms_ += static_cast<std::uint64_t>(detail::log2_of(value));
		expected_ = position + 1;
		--left_;
		return true;
	}

	// What there is to say when next() has given false.
	Malformed finish() const
	{
		if (reason_ != Malformed::no || count_ == 0)
			return reason_;
		if (const Malformed reason = reader_.finish(); reason != Malformed::no)
			return reason;
		return logarithms_ / count_ == static_cast<std::uint64_t>(value_bits_) ? Malformed::no : Malformed::not_canonical;
	}

private:
	// With k <= 62 the shifted values reach up to 2^63 - 2 + 2^62.
	static constexpr int largest_log2 = 63;

	// Takes gap and shifted value where both are within one look, as they nearly
	// always are.
	bool take_short(std::uint64_t &gap, std::uint64_t &bits)
	{
		const std::uint64_t window = reader_.peek();
		const int quotient = std::countr_zero(window);
		const int gap_end = quotient + 1 + gap_bits_;
		if (gap_end >= peeked_bits)
			return false;
		const std::uint64_t rest = window >> gap_end;
		const int zeros = std::countr_zero(rest);
		const int n = zeros + value_bits_;
		if (gap_end + zeros + 1 + n > peeked_bits)
			return false;
		gap = (static_cast<std::uint64_t>(quotient) << gap_bits_) + low_bits(window >> (quotient + 1), gap_bits_);
		bits = std::uint64_t{1} << n | low_bits(rest >> (zeros + 1), n);
		reader_.pass(gap_end + zeros + 1 + n);
		return true;
	}

	bool take_long(std::uint64_t &gap, std::uint64_t &bits)
	{
		std::uint32_t quotient, zeros;
		if (!reader_.take_unary(quotient, counters_))
			return refuse(Malformed::too_short);
		gap = (std::uint64_t{quotient} << gap_bits_) + reader_.take(gap_bits_);
		if (!reader_.take_unary(zeros, largest_log2 + 1))
			return refuse(Malformed::too_short);
		const int n = static_cast<int>(zeros) + value_bits_;
		if (n > largest_log2)
			return refuse(Malformed::bad_entry);
		bits = std::uint64_t{1} << n | reader_.take_wide(n);
		return true;
	}

	bool refuse(Malformed reason)
	{
		reason_ = reason;
		left_ = 0;
		return false;
	}

	BitReader reader_;
	std::uint32_t left_;
	std::uint32_t count_;
	std::uint32_t counters_;
	int gap_bits_ = 0;
	int value_bits_ = 0;
	std::uint64_t expected_ = 0;
	std::uint64_t logarithms_ = 0;
	Malformed reason_ = Malformed::no;
};

// Gives single counters, asked for in ascending order.
class SparseCursor {
public:
	explicit SparseCursor(const SparseReader &reader) : reader_(reader) { has_next_ = reader_.next(next_); }

	std::uint64_t at(std::uint32_t position)
	{
		while (has_next_ && next_.position < position)
			has_next_ = reader_.next(next_);
		return has_next_ && next_.position == position ? next_.value : 0;
	}

	// Reads the rest; what was wrong with it.
	Malformed finish()
	{
		while (has_next_)
			has_next_ = reader_.next(next_);
		return reader_.finish();
	}

private:
	SparseReader reader_;
	Counter next_{};
	bool has_next_;
};

}  // namespace bloomsketch::cms
