// Strings of bits. They take the bits of each byte from its lowest upwards, and
// so do the fields in them; the last byte is filled with zeros.
#pragma once

#include <bit>

#include "common/bytes.hpp"
#include "common/malformed.hpp"

namespace bloomsketch {

// The widest field that is read at once: whole bytes that fit a word together with
// the up to 7 bits before them in their first byte.
inline constexpr int widest_field = 56;

constexpr std::uint64_t low_bits(std::uint64_t bits, int width) { return bits & ((std::uint64_t{1} << width) - 1); }

// How many low bits of a gap are written as they are, by the code of Rice and Plaunt
// (1971), where `count` of `range` places are taken evenly. Gaps are near geometric
// then, with mean range / count. The best parameter is the logarithm of 2 ln((1 +
// sqrt 5) / 2) = 0.9624 times the mean (Kiely 2004), and 123/128 is close to that.
constexpr int rice_bits(std::uint32_t count, std::uint32_t range)
{
	const std::uint64_t scaled = std::uint64_t{123} * range / 128 / count;
	return scaled == 0 ? 0 : std::bit_width(scaled) - 1;
}

class BitWriter {
public:
	explicit BitWriter(std::uint8_t *to) : next_(to) {}

	// Appends the low `width` <= 63 bits of `bits`, whose other bits are zero.
	void put(std::uint64_t bits, int width)
	{
		window_ |= bits << filled_;
		filled_ += width;
		if (filled_ < 64)
			return;
		store_le(next_, window_);
		next_ += sizeof(window_);
		filled_ -= 64;
		window_ = bits >> (width - filled_);
	}

	void put_zeros(std::uint32_t count)
	{
		for (; count > 32; count -= 32)
			put(0, 32);
		put(0, static_cast<int>(count));
	}

	void finish()
	{
		for (; filled_ > 0; filled_ -= 8, window_ >>= 8)
			*next_++ = static_cast<std::uint8_t>(window_);
	}

private:
	std::uint8_t *next_;
	std::uint64_t window_ = 0;
	int filled_ = 0;  // < 64 between calls
};

// At least so many bits from a position on; behind the end they are zeros.
inline constexpr int peeked_bits = 57;
inline std::uint64_t peek_bits(Bytes from, std::size_t position)
{
	const std::size_t at = position / 8;
	if (at + sizeof(std::uint64_t) <= from.size())
		return load_le<std::uint64_t>(from.data() + at) >> position % 8;
	if (at >= from.size())
		return 0;
	if (from.size() >= sizeof(std::uint64_t)) {
		const std::size_t last = from.size() - sizeof(std::uint64_t);
		return load_le<std::uint64_t>(from.data() + last) >> 8 * (at - last) >> position % 8;
	}
	std::uint64_t window = 0;
	for (std::size_t i = at; i < from.size(); ++i)
		window |= std::uint64_t{from[i]} << (8 * (i - at));
	return window >> position % 8;
}

class BitReader {
public:
	BitReader() = default;
	explicit BitReader(Bytes from, std::size_t first_bit = 0)
		: from_(from), bit_count_(from.size() * 8), position_(first_bit)
	{
	}

	// Counts zeros up to the next one and passes it. False if none is left. `most` bounds
	// the search and not the result, which may be up to 56 more: false once whole windows
	// of zeros reach it.
	bool take_unary(std::uint32_t &zeros, std::uint32_t most)
	{
		zeros = 0;
		std::uint64_t window = peek();
		while (window == 0) {
			zeros += peeked_bits;
			position_ += peeked_bits;
			if (position_ >= bit_count_ || zeros >= most)
				return false;
			window = peek();
		}
		const int run = std::countr_zero(window);
		zeros += static_cast<std::uint32_t>(run);
		position_ += static_cast<std::size_t>(run) + 1;
		return true;
	}

	// Reads `width` <= 56 bits; past the end they read as zeros.
	std::uint64_t take(int width)
	{
		const std::uint64_t window = peek();
		position_ += static_cast<std::size_t>(width);
		return low_bits(window, width);
	}

	// The same for `width` <= 63.
	std::uint64_t take_wide(int width)
	{
		if (width <= widest_field)
			return take(width);
		const std::uint64_t low = take(widest_field);
		return low | take(width - widest_field) << widest_field;
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

	// The bits that come next, at least peeked_bits of them.
	std::uint64_t peek() const { return peek_bits(from_, position_); }

	void pass(int bits) { position_ += static_cast<std::size_t>(bits); }

private:
	Bytes from_;
	std::size_t bit_count_ = 0;
	std::size_t position_ = 0;
};

// Reads a string of unary codes. The ones in the window that were read are cleared, so
// that going to the next one depends on no load and no shift: it is countr_zero(x), and
// x & (x - 1) for the one after it.
class UnaryReader {
public:
	UnaryReader(Bytes from, std::size_t first_bit) : from_(from), next_(first_bit) { look_from(first_bit); }

	// Counts zeros up to the next one and passes it. False if none is left.
	bool take_unary(std::uint64_t &zeros)
	{
		while (window_ == 0) {
			if (window_at_ >= from_.size() * 8)
				return false;
			look_from(window_at_ + peeked_bits);
		}
		const std::size_t one = window_at_ + static_cast<std::size_t>(std::countr_zero(window_));
		window_ &= window_ - 1;
		zeros = one - next_;
		next_ = one + 1;
		return true;
	}

	// Reads `width` bits, few enough to be peeked; past the end they read as zeros.
	std::uint64_t take(int width)
	{
		const std::uint64_t bits = low_bits(peek_bits(from_, next_), width);
		next_ += static_cast<std::size_t>(width);
		look_from(next_);
		return bits;
	}

	Malformed finish() const { return BitReader(from_, next_).finish(); }

private:
	void look_from(std::size_t position)
	{
		window_ = low_bits(peek_bits(from_, position), peeked_bits);
		window_at_ = position;
	}

	Bytes from_;
	std::size_t next_;           // behind what was read
	std::size_t window_at_ = 0;  // where the window begins
	std::uint64_t window_ = 0;   // without the ones that were read
};

}  // namespace bloomsketch
