// One block at rest: its bits, which a Bloom filter would have, and for the s bits
// that are set, lowest first, what their counters are. That is written in the shorter
// one of two ways:
//
//   unary    a counter c as c - 1 zeros and a one, in a string of bits (common/bits.hpp):
//            as many bits as all counters sum up to
//   packed   a counter in four bits, the first in the low half of the first byte:
//            ceil(s / 2) bytes
//
// Which it is needs no mark: fewer than ceil(s / 2) bytes are unary, just so many are
// packed, as it is also where unary is not shorter. Where a filter holds as many values
// as it was made for, about half of the bits are set, and unary takes 1.4 bits for each
// of them; entropy is 1.1.
#pragma once

#include "bloom/fill.hpp"
#include "common/bits.hpp"
#include "counting_bloom/counters.hpp"

namespace bloomsketch::counting_bloom {

constexpr std::size_t packed_size(std::uint32_t bits_set) { return (std::size_t{bits_set} + 1) / 2; }

// The bytes that follow the bits of a block with so many bits set, and so much in all
// counters.
constexpr std::size_t excess_size(std::uint32_t bits_set, std::uint32_t sum)
{
	return std::min((std::size_t{sum} + 7) / 8, packed_size(bits_set));
}

// Calls use(position) for each bit that is set, until it returns false.
template <class Use>
inline bool each_set_bit(const std::uint8_t *bits, std::size_t block_bytes, Use use)
{
	for (std::size_t at = 0; at < block_bytes; at += 8)
		for (std::uint64_t word = load_le<std::uint64_t>(bits + at); word != 0; word &= word - 1)
			if (!use(static_cast<std::uint32_t>(8 * at) + static_cast<std::uint32_t>(std::countr_zero(word))))
				return false;
	return true;
}

namespace detail {

// The unary code of the two counters in a byte.
struct UnaryCode {
	std::uint32_t bits = 0;
	std::int32_t width = 0;
};

inline constexpr auto unary_codes = [] {
	std::array<UnaryCode, 256> codes{};
	for (std::uint32_t byte = 0; byte < 256; ++byte)
		for (const std::uint32_t counter : {byte & 15, byte >> 4})
			if (counter != 0) {
				codes[byte].width += static_cast<std::int32_t>(counter);
				codes[byte].bits |= std::uint32_t{1} << (codes[byte].width - 1);
			}
	return codes;
}();

// Four counters at a time: which of them are 0 can't be foretold, and a branch on it would miss.
inline void write_unary(const std::uint8_t *counters, std::size_t size, std::uint8_t *excess)
{
	BitWriter writer(excess);
	for (std::size_t at = 0; at < size; at += 2) {
		const UnaryCode first = unary_codes[counters[at]], second = unary_codes[counters[at + 1]];
		writer.put(first.bits | std::uint64_t{second.bits} << first.width, first.width + second.width);
	}
	writer.finish();
}

inline void write_packed(const std::uint8_t *counters, const std::uint8_t *bits, std::size_t block_bytes,
                         std::uint8_t *excess)
{
	std::uint32_t index = 0;
	each_set_bit(bits, block_bytes, [&](std::uint32_t position) {
		const unsigned before = index % 2 != 0 ? excess[index / 2] : 0u;
		excess[index / 2] = static_cast<std::uint8_t>(before | counter_at(counters, position) << index % 2 * 4);
		++index;
		return true;
	});
}

}  // namespace detail

// Writes a block at rest, its bits and what follows, and says of how many bytes that is.
inline std::size_t write_block(const std::uint8_t *counters, std::size_t block_bytes, std::uint8_t *bits,
                               std::uint8_t *excess)
{
	write_bits(counters, block_bytes, bits);
	const std::uint32_t bits_set = bloom::count_bits(bits, block_bytes);
	const std::size_t size = excess_size(bits_set, sum_of_counters(counters, working_factor * block_bytes));
	if (size < packed_size(bits_set))
		detail::write_unary(counters, working_factor * block_bytes, excess);
	else
		detail::write_packed(counters, bits, block_bytes, excess);
	return size;
}

namespace detail {

inline void set_counter(std::uint8_t *counters, std::uint32_t position, unsigned counter)
{
	counters[position / 2] = static_cast<std::uint8_t>(counters[position / 2] | counter << position % 2 * 4);
}

inline Malformed read_unary(const std::uint8_t *bits, std::size_t block_bytes, Bytes excess, std::uint8_t *counters)
{
	UnaryReader reader(excess, 0);
	Malformed reason = Malformed::no;
	each_set_bit(bits, block_bytes, [&](std::uint32_t position) {
		std::uint64_t zeros;
		if (!reader.take_unary(zeros))
			reason = Malformed::too_short;
		else if (zeros >= stuck)
			reason = Malformed::bad_entry;
		else
			set_counter(counters, position, static_cast<unsigned>(zeros) + 1);
		return reason == Malformed::no;
	});
	return reason == Malformed::no ? reader.finish() : reason;
}

inline Malformed read_packed(const std::uint8_t *bits, std::size_t block_bytes, Bytes excess, std::uint8_t *counters)
{
	std::uint32_t index = 0, sum = 0;
	const bool are_valid = each_set_bit(bits, block_bytes, [&](std::uint32_t position) {
		const unsigned counter = counter_at(excess.data(), index++);
		set_counter(counters, position, counter);
		sum += counter;
		return counter != 0;
	});
	if (!are_valid)
		return Malformed::bad_entry;
	if (index % 2 != 0 && excess.back() >> 4 != 0)
		return Malformed::bad_padding;
	return (std::size_t{sum} + 7) / 8 < excess.size() ? Malformed::not_canonical : Malformed::no;
}

}  // namespace detail

// Reads a block at rest, and checks it whole.
inline Malformed read_block(const std::uint8_t *bits, std::size_t block_bytes, Bytes excess, std::uint8_t *counters)
{
	std::fill_n(counters, working_factor * block_bytes, std::uint8_t{0});
	const std::size_t packed = packed_size(bloom::count_bits(bits, block_bytes));
	if (excess.size() > packed)
		return Malformed::bad_count;
	return excess.size() < packed ? detail::read_unary(bits, block_bytes, excess, counters)
	                              : detail::read_packed(bits, block_bytes, excess, counters);
}

}  // namespace bloomsketch::counting_bloom
