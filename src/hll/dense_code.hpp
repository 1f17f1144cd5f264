// The prefix codes of dense registers at rest (Huffman 1952), for the loads that
// a sketch may have.
//
// A register that n / m = L values fell into has rank k or lower with a chance of
// exp(-L / 2^k): twice the load shifts all ranks by one. So few codes do for any
// load: three while registers are still empty, and two, half an octave apart, for
// what lies above an offset that grows with the load:
//
//   load   0, 1, 2          codes 0, 1, 2; offset 0
//          3, 4, 5, 6, ..   codes 3, 4, 3, 4, ..; offsets 0, 0, 1, 1, ..
//
// Symbols 0..14 are the ranks from the offset on. Symbol 15, behind which a rank
// follows in 6 bits, stands for the others: 0.05 % of the registers. The entropy
// of registers is 2.83 bits, and these codes take 2.876 on the average, 2.897 at
// the worst load. They are canonical: codes of one length are consecutive numbers
// by ascending symbol, the shorter ones before the longer. The first bit of a code
// is its highest, and goes to the lowest bit that is free in a byte.
//
//   example: by code 0, the ranks 0, 0, 2, 1 are 0 0 110 10: 0101100, 2C
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "hll/registers.hpp"

namespace bloomsketch::hll {

inline constexpr std::size_t code_count = 5;
inline constexpr std::size_t symbol_count = 16;
inline constexpr unsigned escape = 15;  // the symbol
inline constexpr int escaped_bits = 6;
inline constexpr int longest_code = 10;

using CodeLengths = std::array<std::uint8_t, symbol_count>;

// Of the best codes for loads 2^-1, 2^0.5, 2^1.5, 2^2.3 and 2^2.8 with at most ten
// bits; test/data/hll_codes.py computes them. Changing them changes the format.
inline constexpr std::array<CodeLengths, code_count> code_lengths{{
	{1, 2, 3, 4, 5, 6, 8, 8, 10, 10, 10, 10, 10, 10, 10, 10},
	{2, 2, 2, 3, 4, 5, 6, 8, 8, 9, 10, 10, 10, 10, 10, 10},
	{4, 3, 2, 2, 3, 4, 4, 5, 6, 7, 9, 9, 10, 10, 10, 10},
	{7, 4, 2, 2, 3, 3, 4, 4, 5, 7, 7, 8, 10, 10, 10, 10},
	{10, 5, 3, 2, 2, 3, 3, 5, 5, 6, 7, 9, 9, 10, 10, 10},
}};

inline constexpr std::array<std::uint8_t, code_count> shortest_word = [] {
	std::array<std::uint8_t, code_count> shortest{};
	for (std::size_t i = 0; i < code_count; ++i)
		shortest[i] = *std::min_element(code_lengths[i].begin(), code_lengths[i].end());
	return shortest;
}();

// What the byte `load` of a sketch stands for. With the highest offset, symbol 0
// is the highest rank there is, 61 at p = 4.
struct Load {
	std::uint8_t code;
	std::uint8_t offset;

	static constexpr unsigned coded_from_zero = 3;
	static constexpr unsigned count = coded_from_zero + 2 * (max_rank(min_precision) + 1);
	static constexpr std::uint8_t packed = 255;  // no code: 6 bits a register

	explicit constexpr Load(unsigned number)
		: code(static_cast<std::uint8_t>(number < coded_from_zero ? number : coded_from_zero + (number - coded_from_zero) % 2)),
		  offset(static_cast<std::uint8_t>(number < coded_from_zero ? 0 : (number - coded_from_zero) / 2))
	{
	}

	// The symbol of a rank; escape or more where it has none.
	constexpr unsigned symbol(unsigned rank) const { return rank - offset; }

	constexpr unsigned bits(unsigned rank) const
	{
		const CodeLengths &lengths = code_lengths[code];
		return symbol(rank) < escape ? lengths[symbol(rank)] : lengths[escape] + unsigned{escaped_bits};
	}
};

constexpr std::uint64_t coded_bits(const Histogram &histogram, Load load)
{
	std::uint64_t bits = 0;
	for (unsigned rank = 0; rank < histogram.size(); ++rank)
		bits += std::uint64_t{histogram[rank]} * load.bits(rank);
	return bits;
}

// The load whose code takes the fewest bits, the lowest of several.
constexpr unsigned best_load(const Histogram &histogram)
{
	struct Used {
		unsigned rank;
		std::uint64_t registers;
	};
	std::array<Used, std::tuple_size_v<Histogram>> all_used{};
	std::size_t used_count = 0;
	for (unsigned rank = 0; rank < histogram.size(); ++rank)
		if (histogram[rank] != 0)
			all_used[used_count++] = {rank, histogram[rank]};
	unsigned best = 0;
	std::uint64_t fewest = UINT64_MAX;
	for (unsigned number = 0; number < Load::count; ++number) {
		const Load load(number);
		std::uint64_t bits = 0;
		for (const Used &used : std::span(all_used).first(used_count))
			bits += used.registers * load.bits(used.rank);
		if (bits < fewest) {
			fewest = bits;
			best = number;
		}
	}
	return best;
}

struct CodeWord {
	std::uint16_t bits;  // the first one lowest
	std::uint8_t length;
};

using Code = std::array<CodeWord, symbol_count>;

constexpr Code canonical_code(const CodeLengths &lengths)
{
	Code code{};
	unsigned next = 0;  // the first bit highest
	for (int length = 1; length <= longest_code; ++length, next <<= 1)
		for (std::size_t symbol = 0; symbol < symbol_count; ++symbol)
			if (lengths[symbol] == length) {
				for (int bit = 0; bit < length; ++bit)
					code[symbol].bits = static_cast<std::uint16_t>(code[symbol].bits | (next >> bit & 1) << (length - 1 - bit));
				code[symbol].length = lengths[symbol];
				++next;
			}
	return code;
}

inline constexpr std::array<Code, code_count> codes = [] {
	std::array<Code, code_count> made{};
	for (std::size_t i = 0; i < code_count; ++i)
		made[i] = canonical_code(code_lengths[i]);
	return made;
}();

// What a window of bits holds: up to six whole symbols, and how many bits they are.
// None if an escape comes first. Eight bytes, to be stored whole where registers
// go: what is behind the symbols, the next store covers.
struct Decoded {
	static constexpr int most = 6;

	std::uint8_t symbols[most];
	std::uint8_t bits;
	std::uint8_t count;

	constexpr bool is_escape() const { return count == 0; }
};

// 16 kB for each code. With windows of 10 bits reading took 1.05 to 1.1 times as
// long, with 12 the same.
struct DecodingTable {
	static constexpr int window_bits = 11;
	static constexpr unsigned windows = 1u << window_bits;

	Decoded decoded[windows];

	constexpr const Decoded &operator[](std::uint64_t bits) const { return decoded[bits % windows]; }
};

// What windows begin with. Tables are computed by compilers, which take their time
// over calls and classes: hence the plain arrays and variables.
struct FirstSymbols {
	std::uint8_t symbols[DecodingTable::windows];
	std::uint8_t lengths[DecodingTable::windows];  // as if an escape had no end
};

constexpr FirstSymbols first_symbols(const Code &code)
{
	FirstSymbols first{};
	for (unsigned symbol = 0; symbol < symbol_count; ++symbol)
		for (unsigned window = code[symbol].bits; window < DecodingTable::windows; window += 1u << code[symbol].length) {
			first.symbols[window] = static_cast<std::uint8_t>(symbol);
			first.lengths[window] = symbol == escape ? 64 : code[symbol].length;
		}
	return first;
}

constexpr DecodingTable decoding_table(const Code &code)
{
	const FirstSymbols first = first_symbols(code);
	DecodingTable table{};
	for (unsigned window = 0; window < DecodingTable::windows; ++window) {
		unsigned rest = window;
		int bits = 0;
		int count = 0;
		while (count < Decoded::most && bits + first.lengths[rest] <= DecodingTable::window_bits) {
			const int length = first.lengths[rest];
			table.decoded[window].symbols[count++] = first.symbols[rest];
			bits += length;
			rest >>= length;
		}
		table.decoded[window].bits = static_cast<std::uint8_t>(bits);
		table.decoded[window].count = static_cast<std::uint8_t>(count);
	}
	return table;
}

template <std::size_t... number>
constexpr auto decoding_tables_of(std::index_sequence<number...>)
{
	return std::array{decoding_table(codes[number])...};
}

inline constexpr auto decoding_tables = decoding_tables_of(std::make_index_sequence<code_count>());

}  // namespace bloomsketch::hll
