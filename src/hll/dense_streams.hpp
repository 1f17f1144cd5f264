// What the two readers of coded registers share: bits at any position of a body,
// and how far four streams can be read in rounds without looking where they end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "common/bits.hpp"
#include "hll/dense_code.hpp"

namespace bloomsketch::hll {

// Streams that are read together.
inline constexpr std::size_t block_streams = 4;

// Stream i is bytes ends[i] .. ends[i + 1] - 1 of the body.
using StreamEnds = std::span<const std::uint32_t, block_streams + 1>;

// A round is five looks at one word of 64 bits, and an escape: at most 55 + 16 bits.
// It begins less than one byte behind where the last one ended, and looks less than
// 24 bytes ahead.
inline constexpr int round_looks = 5;
inline constexpr std::size_t round_bytes = 9;
inline constexpr std::size_t bytes_ahead = 24;
inline constexpr int escape_bits = longest_code + escaped_bits;

// Registers that a round takes at most, if a look takes no more than `most`.
constexpr std::size_t round_registers(Load load, int most)
{
	const int symbols = DecodingTable::window_bits / shortest_word[load.code];
	return static_cast<std::size_t>(round_looks * std::min(symbols, most) + 1);
}

// The rank behind the escape that these bits begin with.
constexpr unsigned escaped_rank(std::uint64_t bits) { return bits >> longest_code & ((1u << escaped_bits) - 1); }

class CodeBits {
public:
	explicit CodeBits(Bytes body) : body_(body) {}

	const std::uint8_t *data() const { return body_.data(); }

	std::uint64_t peek(std::size_t position) const { return peek_bits(body_, position); }

	// Rounds that can be read from here on.
	std::size_t rounds_from(std::size_t position) const
	{
		const std::size_t needed = position / 8 + bytes_ahead;
		return needed <= body_.size() ? (body_.size() - needed) / round_bytes + 1 : 0;
	}

private:
	Bytes body_;
};

}  // namespace bloomsketch::hll
