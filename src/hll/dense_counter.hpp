// What the estimate takes of coded registers, read off their codes: sums of a
// window's symbols come from a table, so that no register is written or counted.
// Four streams at once, as in dense_decoder.hpp.
//
// Whatever the bytes, reads stay within the body, and the sums are those of the
// registers that the decoder would give.
#pragma once

#include "hll/dense_streams.hpp"

namespace bloomsketch::hll {

// The whole symbols of a window, in fields that many windows add up in:
//
//   bits  0..11   how many bits they are
//        12..23   how many symbols
//        24..35   how many times symbol 0
//        36..63   the sum of 2^(14 - symbol) over the others
//
// 0 if an escape comes first.
class Counted {
public:
	// Rounds: of up to 71 bits, with a few before the first, they stay below 2^12, as
	// do their symbols; the sum stays below 2^13 times that.
	static constexpr std::size_t most_rounds = 56;
	static constexpr unsigned last_symbol = escape - 1;

	constexpr Counted() = default;
	explicit constexpr Counted(std::uint64_t fields) : fields_(fields) {}

	static constexpr Counted of_escape() { return Counted(1u << 12 | unsigned{escape_bits}); }
	static constexpr Counted of_bits(std::size_t bits) { return Counted(bits); }
	static constexpr Counted of(unsigned symbol, unsigned bits)
	{
		const std::uint64_t sum = symbol == 0 ? std::uint64_t{1} << 24 : std::uint64_t{1} << (36 + last_symbol - symbol);
		return Counted(sum | std::uint64_t{1} << 12 | bits);
	}

	constexpr Counted &operator+=(Counted other)
	{
		fields_ += other.fields_;
		return *this;
	}

	constexpr bool is_escape() const { return fields_ == 0; }
	constexpr std::size_t bits() const { return fields_ & 0xFFF; }
	constexpr int window_bits() const { return static_cast<int>(fields_ & 0x3F); }  // of a single window
	constexpr std::size_t symbols() const { return fields_ >> 12 & 0xFFF; }
	constexpr std::uint32_t zeros() const { return static_cast<std::uint32_t>(fields_ >> 24 & 0xFFF); }
	constexpr std::uint64_t inverse() const { return fields_ >> 36; }

	constexpr std::uint64_t fields() const { return fields_; }

private:
	std::uint64_t fields_ = 0;
};

struct CountingTable {
	Counted counted[DecodingTable::windows];

	constexpr Counted operator[](std::uint64_t bits) const { return counted[bits % DecodingTable::windows]; }
};

constexpr CountingTable counting_table(const Code &code)
{
	const FirstSymbols first = first_symbols(code);
	std::uint64_t fields[symbol_count] = {};
	for (unsigned symbol = 0; symbol < escape; ++symbol)
		fields[symbol] = Counted::of(symbol, code[symbol].length).fields();
	CountingTable table{};
	for (unsigned window = 0; window < DecodingTable::windows; ++window) {
		std::uint64_t sum = 0;
		unsigned rest = window;
		int left = DecodingTable::window_bits;
		while (first.lengths[rest] <= left) {
			const int length = first.lengths[rest];
			sum += fields[first.symbols[rest]];
			rest >>= length;
			left -= length;
		}
		table.counted[window] = Counted(sum);
	}
	return table;
}

template <std::size_t... code>
constexpr auto counting_tables_of(std::index_sequence<code...>)
{
	return std::array{counting_table(codes[code])...};
}

inline constexpr auto counting_tables = counting_tables_of(std::make_index_sequence<code_count>());

class BlockCounter {
public:
	// Unless a symbol may be the highest rank, or beyond: that takes 2^52 values, and
	// such registers are decoded and counted.
	static constexpr bool can_count(Load load, int precision)
	{
		return load.offset + Counted::last_symbol < max_rank(precision);
	}

	BlockCounter(Bytes body, StreamEnds ends, Load load, std::size_t registers, int precision)
		: bits_(body), load_(load), table_(counting_tables[load.code]), precision_(precision)
	{
		for (std::size_t i = 0; i < block_streams; ++i)
			streams_[i] = {std::size_t{ends[i]} * 8, registers / block_streams};
	}

	RegisterSums count()
	{
		count_together();
		count_rest();
		return sums();
	}

private:
	struct Stream {
		std::size_t position;  // in bits
		std::size_t room;      // registers that are left
	};

	std::size_t safe_rounds() const
	{
		std::size_t room = SIZE_MAX;
		std::size_t rounds = Counted::most_rounds;
		for (const Stream &stream : streams_) {
			room = std::min(room, stream.room);
			rounds = std::min(rounds, bits_.rounds_from(stream.position));
		}
		return std::min(rounds, room / round_registers(load_, DecodingTable::window_bits));
	}

	// A stream within rounds: bits ahead, as in dense_decoder.hpp. How many of them are
	// not yet read follows from the sum.
	struct Cursor {
		const std::uint8_t *start;
		Counted sum;
		const std::uint8_t *from;
		std::uint64_t word;

		Cursor(const Stream &stream, const std::uint8_t *body)
			: start(body + stream.position / 8), sum(Counted::of_bits(stream.position % 8))
		{
			seek();
		}

		void seek()
		{
			from = start + sum.bits() / 8 + 1;
			word = std::uint64_t{from[-1]} >> sum.bits() % 8;
		}

		void refill()  // to 56 bits or more
		{
			const std::size_t filled = static_cast<std::size_t>(from - start) * 8 - sum.bits();
			word |= load_le<std::uint64_t>(from) << filled % 64;
			from += (63 - filled) / 8;
		}

		std::uint64_t peek() const { return load_le<std::uint64_t>(start + sum.bits() / 8) >> sum.bits() % 8; }

		// Whether there is an escape.
		bool look(const CountingTable &table)
		{
			const Counted counted = table[word];
			word >>= counted.window_bits();
			sum += counted;
			return counted.is_escape();
		}
	};

	void count_together()
	{
		for (std::size_t rounds = safe_rounds(); rounds > 0; rounds = safe_rounds())
			count_rounds(rounds);
	}

	void count_rounds(std::size_t rounds)
	{
		const CountingTable &table = table_;
		const std::uint8_t *const body = bits_.data();
		Cursor a(streams_[0], body), b(streams_[1], body), c(streams_[2], body), d(streams_[3], body);
		for (; rounds > 0; --rounds) {
			a.refill();
			b.refill();
			c.refill();
			d.refill();
			bool escapes = false;
			for (int i = 0; i < round_looks; ++i) {
				escapes = a.look(table);
				escapes |= b.look(table);
				escapes |= c.look(table);
				escapes |= d.look(table);
			}
			if (escapes) [[unlikely]] {
				pass_escape(a);
				pass_escape(b);
				pass_escape(c);
				pass_escape(d);
			}
		}
		leave(streams_[0], a);
		leave(streams_[1], b);
		leave(streams_[2], c);
		leave(streams_[3], d);
	}

	void pass_escape(Cursor &cursor)
	{
		const std::uint64_t bits = cursor.peek();
		if (!table_[bits].is_escape())
			return;
		add_escaped(bits);
		cursor.sum += Counted::of_escape();
		cursor.seek();
	}

	void leave(Stream &stream, const Cursor &cursor)
	{
		stream.position -= stream.position % 8;
		take(stream, cursor.sum);
	}

	void take(Stream &stream, Counted counted)
	{
		stream.position += counted.bits();
		stream.room -= counted.symbols();
		zeros_ += counted.zeros();
		inverse_ += counted.inverse();
	}

	void add_escaped(std::uint64_t bits)
	{
		escaped_.add(std::min<unsigned>(escaped_rank(bits), max_rank(precision_)), precision_);
	}

	// What streams have left when the first of them nears its end; in turns, too.
	void count_rest()
	{
		for (bool any = true; any;) {
			any = false;
			for (Stream &stream : streams_)
				if (stream.room > 0) {
					count_some(stream);
					any = true;
				}
		}
	}

	void count_some(Stream &stream)
	{
		const std::uint64_t bits = bits_.peek(stream.position);
		const Counted counted = table_[bits];
		if (counted.is_escape()) {
			add_escaped(bits);
			take(stream, Counted::of_escape());
		} else if (counted.symbols() <= stream.room) {
			take(stream, counted);
		} else {
			const unsigned symbol = decoding_tables[load_.code][bits].symbols[0];
			take(stream, Counted::of(symbol, code_lengths[load_.code][symbol]));
		}
	}

	RegisterSums sums() const
	{
		RegisterSums sums = escaped_;
		std::uint64_t inverse = inverse_;
		if (load_.offset == 0)
			sums.zeros += zeros_;
		else
			inverse += std::uint64_t{zeros_} << Counted::last_symbol;
		sums.inverse += inverse << (max_rank(precision_) - 1 - load_.offset - Counted::last_symbol);
		return sums;
	}

	CodeBits bits_;
	Load load_;
	const CountingTable &table_;
	int precision_;
	std::array<Stream, block_streams> streams_;
	std::uint32_t zeros_ = 0;    // symbols 0
	std::uint64_t inverse_ = 0;  // the sum of 2^(14 - symbol) over the others
	RegisterSums escaped_;
};

}  // namespace bloomsketch::hll
