// Coded entries, where eight bytes at a time can be read or written: all but the
// last few. The bits are those of sparse_code.hpp.
#pragma once

#include <bit>

#include "common/bytes.hpp"
#include "hll/entry.hpp"

namespace bloomsketch::hll {

// Reads what entries of up to 56 bits are made of.
class QuickReader {
public:
	explicit QuickReader(Bytes from) : next_(from.data()), left_(from.size()) {}

	// To be called before each entry. False near the end.
	bool refill()
	{
		if (left_ < sizeof(std::uint64_t))
			return false;
		word_ |= load_le<std::uint64_t>(next_) << filled_;
		const unsigned whole = (63 - filled_) / 8;
		next_ += whole;
		left_ -= whole;
		filled_ |= 56;
		return true;
	}

	// Counts zeros up to the next one and passes it. False, and nothing is passed, if
	// they are so many that a remainder and a rank behind them might not be here.
	bool take_unary(std::uint32_t &zeros)
	{
		zeros = static_cast<std::uint32_t>(std::countr_zero(word_ | std::uint64_t{1} << 63));
		if (zeros > 55 - index_bits - rank_bits)
			return false;
		skip(zeros + 1);
		return true;
	}

	std::uint32_t take(int width)
	{
		const std::uint64_t bits = word_ & ((std::uint64_t{1} << width) - 1);
		skip(static_cast<unsigned>(width));
		return static_cast<std::uint32_t>(bits);
	}

	// How many of the last bits were not passed.
	std::size_t unread() const { return left_ * 8 + filled_; }

private:
	void skip(unsigned bits)
	{
		word_ >>= bits;
		filled_ -= bits;
	}

	const std::uint8_t *next_;
	std::size_t left_;
	std::uint64_t word_ = 0;
	unsigned filled_ = 0;  // bits that count; those above them come again
};

// Writes up to 57 bits at a time, and eight bytes from where it is.
class QuickWriter {
public:
	explicit QuickWriter(std::uint8_t *to) : next_(to) {}

	void put(std::uint64_t bits, unsigned width)
	{
		window_ |= bits << filled_;
		filled_ += width;
		store_le(next_, window_);
		next_ += filled_ / 8;
		window_ >>= filled_ / 8 * 8;
		filled_ %= 8;
	}

	std::uint8_t *next() const { return next_; }
	std::uint32_t rest() const { return static_cast<std::uint32_t>(window_); }
	int rest_bits() const { return static_cast<int>(filled_); }

private:
	std::uint8_t *next_;
	std::uint64_t window_ = 0;
	unsigned filled_ = 0;  // < 8 between calls
};

}  // namespace bloomsketch::hll
