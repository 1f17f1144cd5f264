// The texts of a working image, in records one behind the other. A record has room
// for one text, and 4 bytes in front of it, little-endian:
//
//   bits 0..16    number of the counter that it was made for
//   bits 17..31   its size in units of 8 bytes, these 4 included
//
// Where a record is, and the length of the text in it, stand with the counter; a record
// that its counter does not point to any more is dead. A text that takes another's
// place lies in its record if it fits: so texts of much the same length hardly ever
// take new records. Others do, until the arena is full; then it is compacted, in place,
// into records as short as they can be.
#pragma once

#include <algorithm>
#include <cstring>

#include "common/bytes.hpp"
#include "topk/parameters.hpp"

namespace bloomsketch::topk {

class TextArena {
public:
	// What a text takes.
	static constexpr std::size_t record_size(std::size_t length) { return (head_size + length + unit - 1) / unit * unit; }

	// `used` bytes of `arena` are records; counters have offsets of 4 bytes, lengths of 2.
	TextArena(MutableBytes arena, std::size_t used, std::uint8_t *offsets, std::uint8_t *lengths)
		: arena_(arena), used_(used), offsets_(offsets), lengths_(lengths)
	{
	}

	std::size_t used() const { return used_; }

	Bytes text(std::uint32_t counter) const
	{
		return {arena_.data() + offset(counter) + head_size, length(counter)};
	}

	// Whether a counter's text is within the records.
	bool is_inside(std::uint32_t counter) const { return offset(counter) + head_size + length(counter) <= used_; }

	// Gives a counter that has none a text; false if there is no room for it.
	bool put(std::uint32_t counter, Bytes text)
	{
		const std::size_t size = record_size(text.size());
		if (size > arena_.size() - used_)
			return false;
		store_le(arena_.data() + used_, head(counter, size));
		store_le(offsets_ + std::size_t{counter} * 4, static_cast<std::uint32_t>(used_));
		used_ += size;
		write(counter, text);
		return true;
	}

	// Gives a counter another text; false if there is no room for it.
	bool replace(std::uint32_t counter, Bytes text)
	{
		if (record_size(text.size()) > size_at(offset(counter)))
			return put(counter, text);
		write(counter, text);
		return true;
	}

	// What the texts of counters 0 .. count - 1 take.
	std::size_t live(std::uint32_t count) const
	{
		std::size_t sum = 0;
		for (std::uint32_t counter = 0; counter < count; ++counter)
			sum += record_size(length(counter));
		return sum;
	}

	// Leaves nothing but the texts of counters 0 .. count - 1.
	void compact(std::uint32_t count)
	{
		std::size_t to = 0;
		for (std::size_t at = 0; at < used_;) {
			const std::size_t size = size_at(at);
			const std::uint32_t counter = counter_at(at);
			if (counter < count && offset(counter) == at) {
				const std::size_t kept = record_size(length(counter));
				std::memmove(arena_.data() + to, arena_.data() + at, kept);
				store_le(arena_.data() + to, head(counter, kept));
				store_le(offsets_ + std::size_t{counter} * 4, static_cast<std::uint32_t>(to));
				to += kept;
			}
			at += size;
		}
		used_ = to;
	}

private:
	static constexpr std::size_t head_size = 4;
	static constexpr std::size_t unit = 8;
	static_assert((longest_text + head_size) / unit + 1 < 1u << (32 - counter_bits));

	static std::uint32_t head(std::uint32_t counter, std::size_t size)
	{
		return counter | static_cast<std::uint32_t>(size / unit) << counter_bits;
	}
	std::uint32_t head_at(std::size_t at) const { return load_le<std::uint32_t>(arena_.data() + at); }
	std::uint32_t counter_at(std::size_t at) const { return head_at(at) & ((1u << counter_bits) - 1); }
	std::size_t size_at(std::size_t at) const { return (head_at(at) >> counter_bits) * unit; }
	std::size_t offset(std::uint32_t counter) const { return load_le<std::uint32_t>(offsets_ + std::size_t{counter} * 4); }
	std::size_t length(std::uint32_t counter) const { return load_le<std::uint16_t>(lengths_ + std::size_t{counter} * 2); }

	void write(std::uint32_t counter, Bytes text)
	{
		store_le(lengths_ + std::size_t{counter} * 2, static_cast<std::uint16_t>(text.size()));
		std::copy(text.begin(), text.end(), arena_.data() + offset(counter) + head_size);
	}

	MutableBytes arena_;
	std::size_t used_;
	std::uint8_t *offsets_;
	std::uint8_t *lengths_;
};

}  // namespace bloomsketch::topk
