// Dense registers at rest, the body of such an image behind its precision:
//
//   load      1 byte: which code (dense_code.hpp), or 255 for packed registers
//   coded     lengths of all streams but the last (common/varint.hpp: 1 or 2 bytes
//             each, as 4,096 escapes have 8,192), then the streams
//   packed    6 bits a register (registers.hpp)
//
// A stream is m / 4 registers, but no more than 4,096: 4 streams up to p = 14, 64
// at p = 18. Each begins with a new byte, and unused bits of its last are zero.
//
// The load is the one that gives the fewest bits, the lowest of several, and the
// registers are packed unless their code is smaller: no more than packed ones, a
// sketch takes 13 bytes at p = 4, and 12,289 at p = 14.
#pragma once

#include "common/varint.hpp"
#include "hll/dense_counter.hpp"
#include "hll/dense_decoder.hpp"

namespace bloomsketch::hll {

// Four streams, decoded at a time.
inline constexpr std::size_t largest_block = 1u << 14;

constexpr std::size_t block_registers(int precision)
{
	return std::min<std::size_t>(register_count(precision), largest_block);
}

constexpr std::size_t stream_registers(int precision) { return block_registers(precision) / block_streams; }
constexpr std::size_t stream_count(int precision) { return register_count(precision) / stream_registers(precision); }
inline constexpr std::size_t most_streams = stream_count(max_precision);

// Reads coded registers.
class CodedRegisters {
public:
	// The whole body, with the load. Constant time, as there are 64 streams at most.
	static Malformed open(Bytes body, int precision, CodedRegisters &coded)
	{
		if (body[0] >= Load::count)
			return Malformed::bad_parameters;
		coded.body_ = body;
		coded.precision_ = precision;
		std::array<std::size_t, most_streams> lengths;
		std::size_t at = 1;
		for (std::size_t i = 0; i + 1 < stream_count(precision); ++i)
			if (const Malformed reason = take_length(body, at, lengths[i]); reason != Malformed::no)
				return reason;
		for (std::size_t i = 0; i + 1 < stream_count(precision); ++i) {
			coded.starts_[i] = static_cast<std::uint32_t>(at);
			at += lengths[i];
		}
		coded.starts_[stream_count(precision) - 1] = static_cast<std::uint32_t>(at);
		coded.starts_[stream_count(precision)] = static_cast<std::uint32_t>(body.size());
		return at <= body.size() ? Malformed::no : Malformed::too_short;
	}

	unsigned load() const { return body_[0]; }

	std::size_t stream_length(std::size_t stream) const { return starts_[stream + 1] - starts_[stream]; }

	// Fills `registers`, as many as a block has.
	Malformed decode(std::size_t block, MutableBytes registers) const
	{
		return BlockDecoder(body_, ends(block), Load(load()), registers).decode(precision_);
	}

	// Raises `others`, a block's registers as well, to those of the block; `scratch` has
	// as many.
	void raise(std::size_t block, MutableBytes others, MutableBytes scratch) const
	{
		BlockDecoder(body_, ends(block), Load(load()), scratch).raise(others.data(), precision_);
	}

	bool can_count() const { return BlockCounter::can_count(Load(load()), precision_); }

	// Those of a block's registers. Only where they can be counted.
	RegisterSums count(std::size_t block) const
	{
		return BlockCounter(body_, ends(block), Load(load()), block_registers(precision_), precision_).count();
	}

private:
	StreamEnds ends(std::size_t block) const
	{
		return std::span(starts_).subspan(block * block_streams).first<block_streams + 1>();
	}

	static Malformed take_length(Bytes body, std::size_t &at, std::size_t &length)
	{
		if (body.size() - at < 2)
			return Malformed::too_short;
		length = body[at++] & 0x7F;
		if ((body[at - 1] & 0x80) == 0)
			return Malformed::no;
		const std::uint8_t high = body[at++];
		length |= std::size_t{high} << 7;
		return high != 0 && high < 0x80 ? Malformed::no : Malformed::bad_count;
	}

	Bytes body_;
	int precision_ = 0;
	std::array<std::uint32_t, most_streams + 1> starts_;
};

// Cuts a chunk of registers where streams end: calls use(stream, piece, whether it is
// the stream's last).
template <class Use>
void each_piece(Bytes chunk, std::size_t first, int precision, Use use)
{
	const std::size_t size = stream_registers(precision);
	for (std::size_t at = 0, end; at < chunk.size(); at = end) {
		const std::size_t stream = (first + at) / size;
		end = std::min(chunk.size(), (stream + 1) * size - first);
		use(stream, chunk.subspan(at, end - at), first + end == (stream + 1) * size);
	}
}

// Appends codes of registers. Positions are the caller's, and nothing is written
// behind the end of a stream.
class CodeWriter {
public:
	explicit CodeWriter(Load load)
	{
		const Code &code = codes[load.code];
		for (unsigned rank = 0; rank < words_.size(); ++rank) {
			const unsigned symbol = load.symbol(rank);
			words_[rank] = code[std::min(symbol, escape)];
			if (symbol >= escape) {
				words_[rank].bits = static_cast<std::uint16_t>(words_[rank].bits | rank << longest_code);
				words_[rank].length += escaped_bits;
			}
		}
	}

	std::uint8_t *put(Bytes registers, std::uint8_t *to)
	{
		std::size_t i = 0;
		// Without a branch, in stores of eight bytes. The registers behind them are
		// enough to fill these, with a bit each.
		for (; i + 3 + 64 <= registers.size(); i += 3) {
			append(registers[i]);
			append(registers[i + 1]);
			append(registers[i + 2]);
			store_le(to, window_);
			to += filled_ / 8;
			window_ >>= filled_ / 8 * 8;
			filled_ %= 8;
		}
		for (; i < registers.size(); ++i) {
			append(registers[i]);
			to = put_whole_bytes(to);
		}
		return to;
	}

	// Fills the last byte, so that the next code begins a new one.
	std::uint8_t *finish(std::uint8_t *to)
	{
		filled_ = (filled_ + 7) / 8 * 8;
		return put_whole_bytes(to);
	}

private:
	void append(std::uint8_t rank)
	{
		const CodeWord word = words_[rank & 0x3F];
		window_ |= std::uint64_t{word.bits} << filled_;
		filled_ += word.length;
	}

	std::uint8_t *put_whole_bytes(std::uint8_t *to)
	{
		for (; filled_ >= 8; filled_ -= 8, window_ >>= 8)
			*to++ = static_cast<std::uint8_t>(window_);
		return to;
	}

	std::array<CodeWord, 64> words_;
	std::uint64_t window_ = 0;
	unsigned filled_ = 0;  // < 8 between calls; three words have 48 bits at most
};

// How registers are written: either form's size, and where the streams end.
class DenseLayout {
public:
	// `each_chunk` calls what it is given with consecutive pieces of the registers.
	template <class EachChunk>
	DenseLayout(int precision, EachChunk each_chunk) : precision_(precision)
	{
		const std::size_t count = stream_count(precision);
		std::array<Histogram, most_streams> histograms;
		std::fill_n(histograms.begin(), count, Histogram{});
		each_chunk([&](Bytes chunk, std::size_t first) {
			each_piece(chunk, first, precision, [&](std::size_t stream, Bytes piece, bool) {
				count_ranks(piece, histograms[stream]);
			});
		});
		Histogram all{};
		for (std::size_t i = 0; i < count; ++i)
			for (std::size_t rank = 0; rank < all.size(); ++rank)
				all[rank] += histograms[i][rank];
		load_ = static_cast<std::uint8_t>(best_load(all));
		size_ = 1;
		for (std::size_t i = 0; i < count; ++i) {
			lengths_[i] = static_cast<std::uint16_t>((coded_bits(histograms[i], Load(load_)) + 7) / 8);
			size_ += lengths_[i] + (i + 1 < count ? varint_size(lengths_[i]) : 0);
		}
		if (size_ > packed_size(precision)) {
			load_ = Load::packed;
			size_ = 1 + packed_size(precision);
		}
	}

	bool is_packed() const { return load_ == Load::packed; }

	// Of the body.
	std::size_t size() const { return size_; }

	// Whether these are the load and the lengths that it has.
	bool is_of(const CodedRegisters &coded) const
	{
		if (load_ != coded.load())
			return false;
		for (std::size_t i = 0; i < stream_count(precision_); ++i)
			if (lengths_[i] != coded.stream_length(i))
				return false;
		return true;
	}

	// Writes size() bytes.
	template <class EachChunk>
	void write(std::uint8_t *to, EachChunk each_chunk) const
	{
		*to++ = load_;
		if (is_packed())
			each_chunk([&](Bytes chunk, std::size_t first) {
				pack_registers(chunk, to + first / group_registers * group_bytes);
			});
		else
			write_coded(to, each_chunk);
	}

private:
	template <class EachChunk>
	void write_coded(std::uint8_t *to, EachChunk each_chunk) const
	{
		for (std::size_t i = 0; i + 1 < stream_count(precision_); ++i)
			to = write_varint(to, lengths_[i]);
		CodeWriter writer{Load(load_)};
		each_chunk([&](Bytes chunk, std::size_t first) {
			each_piece(chunk, first, precision_, [&](std::size_t, Bytes piece, bool is_last) {
				to = writer.put(piece, to);
				if (is_last)
					to = writer.finish(to);
			});
		});
	}

	int precision_;
	std::uint8_t load_;
	std::array<std::uint16_t, most_streams> lengths_;
	std::size_t size_;
};

}  // namespace bloomsketch::hll
