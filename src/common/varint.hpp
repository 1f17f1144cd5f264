// Integers in 7 bits a byte, lowest first, the top bit set in every byte but the
// last (LEB128). There is one way to write each: in as few bytes as possible.
#pragma once

#include <bit>

#include "common/bytes.hpp"
#include "common/malformed.hpp"

namespace bloomsketch {

// For values below 2^63.
inline constexpr std::size_t largest_varint = 9;

constexpr std::size_t varint_size(std::uint64_t value)
{
	return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

// Writes varint_size() bytes and returns what is behind them.
inline std::uint8_t *write_varint(std::uint8_t *to, std::uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = static_cast<std::uint8_t>(value | 0x80);
	*to++ = static_cast<std::uint8_t>(value);
	return to;
}

// Takes one of at most `most` bytes from the front of `from`.
inline Malformed take_varint(Bytes &from, std::uint64_t &value, std::size_t most = largest_varint)
{
	value = 0;
	std::size_t at = 0;
	std::uint8_t byte;
	do {
		if (at == from.size() || at == most)
			return Malformed::too_short;
		byte = from[at];
		value |= std::uint64_t{byte & 0x7Fu} << (7 * at++);
	} while ((byte & 0x80) != 0);
	if (at > 1 && byte == 0)
		return Malformed::bad_count;
	from = from.subspan(at);
	return Malformed::no;
}

}  // namespace bloomsketch
