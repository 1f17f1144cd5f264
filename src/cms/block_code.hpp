// Blocks of counters at rest: up to 128 counters in as many bits each as fit most
// of them, and exceptions (Zukowski, Heman, Nes, Boncz 2006, "PFOR").
//
//   head         3 bytes, little-endian, from the lowest bit:
//                  w     6 bits, 0..56: bits of every counter
//                  e     7 bits, 0..127: exceptions
//                  h     6 bits: bits that an exception has more; 0 only if e is
//                  b     4 bits, 0..8: bytes of the base
//                  0     1 bit
//   base         b bytes, little-endian: the smallest of the counters
//   bits         (common/bits.hpp) w low bits of each counter less the base; then
//                for each exception, by ascending index, its index in 7 bits and
//                what is above the low bits in h
//
// w takes the fewest bits, and of equal ones the largest does. So the same
// counters have the same bytes, and the head alone tells how long a block is.
#pragma once

#include <algorithm>
#include <array>
#include <climits>
#include <span>
#include <utility>

#include "common/bits.hpp"

namespace bloomsketch::cms {

inline constexpr std::uint32_t block_counters = 128;

using Block = std::array<std::uint64_t, block_counters>;

// Blocks of no more bits a counter are added as 16-bit numbers, four at a time: at the
// default parameters that is all blocks up to a total of 10^8 or so, and it takes 0.7
// of the time of widening each counter to 64 bits.
inline constexpr int narrow_bits = 16;

struct BlockHead {
	static constexpr std::size_t size = 3;
	static constexpr int index_bits = 7;

	int width = 0;
	int exceptions = 0;
	int high_bits = 0;
	int base_bytes = 0;

	static BlockHead read(const std::uint8_t *from)
	{
		const unsigned bits = load_le<std::uint16_t>(from) | unsigned{from[2]} << 16;
		return {static_cast<int>(bits & 63), static_cast<int>(bits >> 6 & 127), static_cast<int>(bits >> 13 & 63),
		        static_cast<int>(bits >> 19)};
	}

	void write(std::uint8_t *to) const
	{
		const int bits = width | exceptions << 6 | high_bits << 13 | base_bytes << 19;
		store_le(to, static_cast<std::uint16_t>(bits));
		to[2] = static_cast<std::uint8_t>(bits >> 16);
	}

	// Whether reading may rely on it.
	bool is_valid() const { return width <= widest_field && base_bytes <= 8; }

	std::size_t low_bits_size(std::size_t counters) const { return counters * static_cast<std::size_t>(width); }
	std::size_t bits_size(std::size_t counters) const
	{
		return (low_bits_size(counters) + static_cast<std::size_t>(exceptions * (index_bits + high_bits)) + 7) / 8;
	}

	// Of the block, in bytes.
	std::size_t block_size(std::size_t counters) const
	{
		return size + static_cast<std::size_t>(base_bytes) + bits_size(counters);
	}
};

// What is never exceeded, whatever the counters: 56 bits each and 127 exceptions of
// 7 bits of index and 7 above.
inline constexpr std::size_t largest_block = BlockHead::size + 8 + (block_counters * widest_field + 127 * 14 + 7) / 8;

// A block to be written, of counters below 2^63.
class BlockCode {
public:
	explicit BlockCode(std::span<const std::uint64_t> counters)
	{
		base_ = counters[0];
		for (const std::uint64_t counter : counters)
			base_ = std::min(base_, counter);
		// How many have each number of bits, in tables by turns so that equal
		// neighbours do not wait for each other's store.
		std::array<std::array<std::uint8_t, 65>, 4> wide{};
		std::uint64_t any = 0;
		for (std::size_t i = 0; i < counters.size(); ++i) {
			++wide[i % 4][static_cast<std::size_t>(std::bit_width(counters[i] - base_))];
			any |= counters[i] - base_;
		}
		fit(wide, static_cast<int>(counters.size()), std::bit_width(any));
		head_.base_bytes = (std::bit_width(base_) + 7) / 8;
	}

	const BlockHead &head() const { return head_; }

	// Writes head().block_size() bytes and returns what is behind them.
	std::uint8_t *write(std::span<const std::uint64_t> counters, std::uint8_t *to) const
	{
		head_.write(to);
		to += BlockHead::size;
		for (int i = 0; i < head_.base_bytes; ++i)
			*to++ = static_cast<std::uint8_t>(base_ >> (8 * i));
		BitWriter writer(to);
		for (const std::uint64_t counter : counters)
			writer.put(low_bits(counter - base_, head_.width), head_.width);
		for (std::size_t i = 0; head_.exceptions != 0 && i < counters.size(); ++i)
			if (const std::uint64_t high = (counters[i] - base_) >> head_.width; high != 0) {
				writer.put(i, BlockHead::index_bits);
				writer.put(high, head_.high_bits);
			}
		writer.finish();
		return to + head_.bits_size(counters.size());
	}

private:
	void fit(const std::array<std::array<std::uint8_t, 65>, 4> &wide, int counters, int widest)
	{
		int least = INT_MAX;
		int wider = 0;
		for (int width = widest; width >= 0; --width) {
			const int high_bits = wider != 0 ? widest - width : 0;
			const int bits = counters * width + wider * (BlockHead::index_bits + high_bits);
			if (width <= widest_field && bits < least) {
				least = bits;
				head_.width = width;
				head_.exceptions = wider;
				head_.high_bits = high_bits;
			}
			for (const auto &table : wide)
				wider += table[static_cast<std::size_t>(width)];
		}
	}

	BlockHead head_;
	std::uint64_t base_;
};

namespace detail {

// Eight fields of `width` bits fill `width` bytes. The width is known to the
// compiler, so that each takes a load, a shift and a mask.
template <int width>
void unpack(const std::uint8_t *__restrict from, std::uint64_t base, std::uint64_t *__restrict to)
{
	for (std::uint32_t group = 0; group < block_counters / 8; ++group, from += width, to += 8)
		for (int i = 0; i < 8; ++i)
			to[i] = base + low_bits(load_le<std::uint64_t>(from + i * width / 8) >> (i * width % 8), width);
}

using Unpack = void (*)(const std::uint8_t *, std::uint64_t, std::uint64_t *);

template <int... widths>
constexpr std::array<Unpack, sizeof...(widths)> unpack_table(std::integer_sequence<int, widths...>)
{
	return {unpack<widths>...};
}

inline constexpr auto unpackers = unpack_table(std::make_integer_sequence<int, widest_field + 1>());

// The same for up to 16 bits, as little-endian 16-bit numbers and without the base:
// four at a time are drawn apart, two by two and then one by one. With a width of 3,
//
//   ...0 dddcccbbbaaa    ->   dddccc at bit 32, bbbaaa at bit 0
//                        ->   ddd at 48, ccc at 32, bbb at 16, aaa at 0
template <int width>
void unpack_narrow(const std::uint8_t *__restrict from, std::uint8_t *__restrict to)
{
	constexpr auto apart = [](std::uint64_t bits, int kept, int moved) {
		const std::uint64_t mask = low_bits(~std::uint64_t{0}, kept) * (moved == 32 ? 1 : 0x1'00000001);
		return (bits & mask) | (bits & ~mask) << (moved - kept);
	};
	for (std::uint32_t i = 0; i < block_counters; i += 4, to += 8) {
		const std::uint64_t bits = load_le<std::uint64_t>(from + i * width / 8) >> (i * width % 8);
		const std::uint64_t four = width == narrow_bits ? bits : low_bits(bits, 4 * width);
		store_le(to, apart(apart(four, 2 * width, 32), width, 16));
	}
}

using UnpackNarrow = void (*)(const std::uint8_t *, std::uint8_t *);

template <int... widths>
constexpr std::array<UnpackNarrow, sizeof...(widths)> narrow_table(std::integer_sequence<int, widths...>)
{
	return {unpack_narrow<widths>...};
}

inline constexpr auto narrow_unpackers = narrow_table(std::make_integer_sequence<int, narrow_bits + 1>());

// Unpacking reads a block's full length, and up to a word behind it.
constexpr std::size_t unpacked_bytes(int width)
{
	return block_counters / 8 * static_cast<std::size_t>(width) + sizeof(std::uint64_t);
}

inline std::uint64_t read_base(const std::uint8_t *from, int bytes)
{
	std::uint64_t base = 0;
	for (int i = 0; i < bytes; ++i)
		base |= std::uint64_t{from[i]} << (8 * i);
	return base;
}

}  // namespace detail

// One block to read, at the front of some bytes.
class BlockReader {
public:
	// False if the block is not within `from`.
	bool open(Bytes from, std::uint32_t counters)
	{
		if (from.size() < BlockHead::size)
			return false;
		head_ = BlockHead::read(from.data());
		size_ = head_.block_size(counters);
		if (!head_.is_valid() || size_ > from.size())
			return false;
		counters_ = counters;
		bits_ = from.subspan(BlockHead::size + static_cast<std::size_t>(head_.base_bytes));
		base_ = detail::read_base(from.data() + BlockHead::size, head_.base_bytes);
		return true;
	}

	std::size_t size() const { return size_; }
	std::uint32_t counters() const { return counters_; }

	// All counters; behind the last of a shorter block there may be anything.
	void read(Block &block) const
	{
		with_bits([&](const std::uint8_t *bits) {
			detail::unpackers[static_cast<std::size_t>(head_.width)](bits, base_, block.data());
		});
		each_exception([&](std::uint32_t index, std::uint64_t high) { block[index] += high; });
	}

	// Adds all counters to little-endian ones of type T. False, and nothing is added,
	// if they are not narrow.
	template <class T>
	bool add_narrow(std::uint8_t *__restrict to) const
	{
		if (head_.width > narrow_bits)
			return false;
		std::array<std::uint8_t, block_counters * sizeof(std::uint16_t)> low;
		with_bits([&](const std::uint8_t *bits) {
			detail::narrow_unpackers[static_cast<std::size_t>(head_.width)](bits, low.data());
		});
		const T base = static_cast<T>(base_);
		// A store to bytes may change members: a bound in one keeps the loop from being vectorised.
		const std::uint32_t count = counters_;
		for (std::uint32_t i = 0; i < count; ++i) {
			const T more = static_cast<T>(base + load_le<std::uint16_t>(low.data() + i * sizeof(std::uint16_t)));
			store_le(to + i * sizeof(T), static_cast<T>(load_le<T>(to + i * sizeof(T)) + more));
		}
		each_exception([&](std::uint32_t index, std::uint64_t high) {
			if (index < count)
				store_le(to + index * sizeof(T), static_cast<T>(load_le<T>(to + index * sizeof(T)) + static_cast<T>(high)));
		});
		return true;
	}

	// One of them.
	std::uint64_t counter(std::uint32_t index) const
	{
		BitReader reader(bits_, head_.low_bits_size(index));
		std::uint64_t value = base_ + reader.take(head_.width);
		each_exception([&](std::uint32_t exception, std::uint64_t high) { value += exception == index ? high : 0; });
		return value;
	}

private:
	// Calls use(the bits), where it may read as far as unpacking does.
	template <class Use>
	void with_bits(Use use) const
	{
		if (bits_.size() >= detail::unpacked_bytes(head_.width)) {
			use(bits_.data());
			return;
		}
		std::array<std::uint8_t, detail::unpacked_bytes(widest_field)> end{};
		std::copy(bits_.begin(), bits_.end(), end.begin());
		use(end.data());
	}

	// Calls use(index, what it has above the low bits). What is written meanwhile might
	// be this reader, for all that the compiler knows: hence copies.
	template <class Use>
	void each_exception(Use use) const
	{
		const BlockHead head = head_;
		const Bytes bits = bits_;
		const int width = BlockHead::index_bits + head.high_bits;
		std::size_t at = head.low_bits_size(counters_);
		for (int i = 0; i < head.exceptions; ++i, at += static_cast<unsigned>(width)) {
			const std::uint64_t window = peek_bits(bits, at);
			const auto index = static_cast<std::uint32_t>(low_bits(window, BlockHead::index_bits));
			const std::uint64_t high =
				width <= peeked_bits ? low_bits(window, width) >> BlockHead::index_bits
									 : BitReader(bits, at + BlockHead::index_bits).take_wide(head.high_bits);
			use(index, high << head.width);
		}
	}

	BlockHead head_;
	std::uint32_t counters_ = 0;
	std::size_t size_ = 0;
	std::uint64_t base_ = 0;
	Bytes bits_;
};

}  // namespace bloomsketch::cms
