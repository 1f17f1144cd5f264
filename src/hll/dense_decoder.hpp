// Decoding four streams of coded registers at once (dense_code.hpp says by which
// codes). What a stream reads next depends on what it read before; four of them
// keep a processor busy while each waits for itself, and up to six registers come
// of one look at the table.
//
// Whatever the bytes, reads stay within the body, writes within the registers, and
// the ranks that come out are possible ones; finish() tells if any was not, or if
// the streams are not what encoding would have written.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "common/malformed.hpp"
#include "hll/dense_streams.hpp"

namespace bloomsketch::hll {

class BlockDecoder {
public:
	// Stream i fills the i-th quarter of `registers`.
	BlockDecoder(Bytes body, StreamEnds ends, Load load, MutableBytes registers)
		: bits_(body), ends_(ends), load_(load), table_(decoding_tables[load.code]), registers_(registers)
	{
		const std::size_t quarter = registers.size() / block_streams;
		for (std::size_t i = 0; i < block_streams; ++i) {
			std::uint8_t *const first = registers.data() + i * quarter;
			streams_[i] = {std::size_t{ends[i]} * 8, first, first + quarter};
		}
	}

	Malformed decode(int precision)
	{
		decode_symbols();
		return finish(max_rank(precision));
	}

	// Raises others to these, and leaves symbols in the registers.
	void raise(std::uint8_t *__restrict others, int precision)
	{
		decode_symbols();
		const std::uint8_t *__restrict symbols = registers_.data();
		const std::uint8_t offset = load_.offset;
		const std::uint8_t highest_allowed = max_rank(precision);
		for (std::size_t i = 0; i < registers_.size(); ++i) {
			const auto found = static_cast<std::uint8_t>(symbols[i] + offset);
			others[i] = std::max(others[i], std::min(found, highest_allowed));
		}
	}

private:
	struct Stream {
		std::size_t position;  // in bits
		std::uint8_t *next;    // register to fill
		std::uint8_t *end;

		std::size_t room() const { return static_cast<std::size_t>(end - next); }
	};

	std::size_t safe_rounds() const
	{
		std::size_t room = SIZE_MAX;
		std::size_t rounds = SIZE_MAX;
		for (const Stream &stream : streams_) {
			room = std::min(room, stream.room());
			rounds = std::min(rounds, bits_.rounds_from(stream.position));
		}
		// Stores are of whole entries of the table.
		const std::size_t safe_room = room - std::min(room, sizeof(Decoded));
		return std::min(rounds, safe_room / round_registers(load_, Decoded::most));
	}

	// A stream within a round: the next bits, how many of them are counted as read,
	// and the byte behind these. Higher bits of the word may be there already; they
	// are the same when they come again (Giesen 2018, "Reading bits in far too many
	// ways", variant 4). So a word is loaded long before it is needed.
	struct Cursor {
		std::uint64_t word;
		unsigned filled;
		const std::uint8_t *from;
		std::uint8_t *next;

		Cursor(const Stream &stream, const std::uint8_t *body)
			: word(std::uint64_t{body[stream.position / 8]} >> stream.position % 8),
			  filled(static_cast<unsigned>(8 - stream.position % 8)),
			  from(body + stream.position / 8 + 1),
			  next(stream.next)
		{
		}

		void leave(Stream &stream, const std::uint8_t *body) const
		{
			stream.position = static_cast<std::size_t>(from - body) * 8 - filled;
			stream.next = next;
		}

		void refill()  // to 56 bits or more
		{
			word |= load_le<std::uint64_t>(from) << filled;
			from += (63 - filled) / 8;
			filled |= 56;
		}

		// Gives how many registers that were: none before an escape.
		unsigned look(const DecodingTable &table)
		{
			const Decoded &decoded = table[word];
			std::memcpy(next, &decoded, sizeof(decoded));
			word >>= decoded.bits & 63;
			filled -= decoded.bits;
			next += decoded.count;
			return decoded.count;
		}
	};

	void decode_symbols()
	{
		decode_together();
		decode_rest();
	}

	void decode_together()
	{
		for (std::size_t rounds = safe_rounds(); rounds > 0; rounds = safe_rounds())
			decode_rounds(rounds);
	}

	void decode_rounds(std::size_t rounds)
	{
		const DecodingTable &table = table_;
		const std::uint8_t *const body = bits_.data();
		Cursor a(streams_[0], body), b(streams_[1], body), c(streams_[2], body), d(streams_[3], body);
		for (; rounds > 0; --rounds) {
			a.refill();
			b.refill();
			c.refill();
			d.refill();
			for (int i = 0; i < round_looks - 1; ++i) {
				a.look(table);
				b.look(table);
				c.look(table);
				d.look(table);
			}
			if (std::min({a.look(table), b.look(table), c.look(table), d.look(table)}) == 0) [[unlikely]] {
				pass_escape(a, streams_[0]);
				pass_escape(b, streams_[1]);
				pass_escape(c, streams_[2]);
				pass_escape(d, streams_[3]);
			}
		}
		a.leave(streams_[0], body);
		b.leave(streams_[1], body);
		c.leave(streams_[2], body);
		d.leave(streams_[3], body);
	}

	void pass_escape(Cursor &cursor, Stream &stream)
	{
		cursor.leave(stream, bits_.data());
		if (!table_[bits_.peek(stream.position)].is_escape())
			return;
		take_escape(stream);
		cursor = Cursor(stream, bits_.data());
	}

	// What streams have left when the first of them nears its end; in turns, too.
	void decode_rest()
	{
		for (bool any = true; any;) {
			any = false;
			for (Stream &stream : streams_)
				if (stream.room() > 0) {
					decode_some(stream);
					any = true;
				}
		}
	}

	void decode_some(Stream &stream)
	{
		const Decoded &decoded = table_[bits_.peek(stream.position)];
		if (decoded.is_escape()) {
			take_escape(stream);
		} else if (stream.room() >= sizeof(decoded)) {
			std::memcpy(stream.next, &decoded, sizeof(decoded));
			stream.next += decoded.count;
			stream.position += decoded.bits;
		} else {
			for (std::size_t i = 0; i < decoded.count && stream.room() > 0; ++i) {
				stream.position += code_lengths[load_.code][decoded.symbols[i]];
				*stream.next++ = decoded.symbols[i];
			}
		}
	}

	// Registers are relative to the offset until finish().
	void take_escape(Stream &stream)
	{
		const unsigned rank = escaped_rank(bits_.peek(stream.position));
		has_needless_escape_ |= load_.symbol(rank) < escape;
		*stream.next++ = static_cast<std::uint8_t>(load_.symbol(rank));
		stream.position += escape_bits;
	}

	Malformed finish(std::uint8_t highest_allowed)
	{
		std::uint8_t highest = 0;
		for (std::uint8_t &rank : registers_) {
			const auto found = static_cast<std::uint8_t>(rank + load_.offset);
			highest = std::max(highest, found);
			rank = std::min(found, highest_allowed);
		}
		if (highest > highest_allowed)
			return Malformed::bad_entry;
		for (std::size_t i = 0; i < block_streams; ++i)
			if (const Malformed reason = fault_at_end(streams_[i].position, std::size_t{ends_[i + 1]} * 8);
			    reason != Malformed::no)
				return reason;
		return has_needless_escape_ ? Malformed::not_canonical : Malformed::no;
	}

	Malformed fault_at_end(std::size_t position, std::size_t end) const
	{
		if (position > end)
			return Malformed::too_short;
		if (end - position >= 8)
			return Malformed::wrong_length;
		const std::uint64_t unused = (std::uint64_t{1} << (end - position)) - 1;
		return (bits_.peek(position) & unused) != 0 ? Malformed::bad_padding : Malformed::no;
	}

	CodeBits bits_;
	StreamEnds ends_;
	Load load_;
	const DecodingTable &table_;
	MutableBytes registers_;
	std::array<Stream, block_streams> streams_;
	bool has_needless_escape_ = false;
};

}  // namespace bloomsketch::hll
