// Where things lie in a working image, which topk_agg changes in place. Without
// pointers, and without a need of alignment (though arrays of 8-byte fields are aligned
// where PostgreSQL's length word in front of the image is aligned to 8):
//
//   header     3 bytes, 11 with a seed (common/header.hpp), form 1
//   k          4 bytes, little-endian, as everything here
//   room       4: counters that there is room for, up to m
//   total      8: N
//   used       4: counters in use
//   arena use  4: bytes of the arena that were given out (text_arena.hpp)
//   texts      4: bytes of all texts
//   cursor     4: where the search for the least counter goes on (minima.hpp)
//   unused     1
//   counts     8 for each counter that there is room for
//   hashes     8
//   errors     8
//   minima     8 for each block of counts, once there is room for m (minima.hpp)
//   offsets    4 for each counter: where its text is in the arena
//   buckets    8: from hashes to counters (index.hpp)
//   links      4
//   lengths    2: of texts
//   arena      all that is left
#pragma once

#include <bit>

#include "common/known_head.hpp"
#include "topk/index.hpp"
#include "topk/text_arena.hpp"
#include "topk/topk.hpp"

namespace bloomsketch::topk {

// The front of a working image, of which nothing but the kind changes before the next
// larger one, and what follows from it, as far as the places that every row asks for are
// computed from it. It is read for the rows that an aggregate sees.
struct WorkingHead {
	ValueKind kind;
	Parameters parameters;
	std::uint32_t room = 0;
	std::uint32_t capacity = 0;    // m
	std::uint32_t block_bits = 0;  // the logarithm of a block's counts
	std::uint32_t blocks = 0;      // about as many as counts in each, once there is room for m
	std::uint32_t front = 0;       // bytes of header and parameters

	static constexpr std::size_t parameters_size = 4 + 4;
	static constexpr std::size_t variables_size = 8 + 4 * 4 + 1;
	static constexpr std::size_t counter_size = 3 * 8 + 4 + Index::buckets_size + Index::link_size + 2;

	WorkingHead() = default;
	WorkingHead(const Parameters &given, std::uint32_t counters)
		: parameters(given), room(counters), capacity(counters_for(given.k)),
		  block_bits(static_cast<std::uint32_t>(std::bit_width(capacity)) / 2),
		  blocks(room < capacity ? 0 : ((capacity - 1) >> block_bits) + 1),
		  front(Header::fixed_size + (parameters.seed != 0 ? Header::seed_size : 0) + parameters_size)
	{
	}

	std::size_t size() const { return front; }

	std::size_t total_at() const { return size(); }
	std::size_t used_at() const { return size() + 8; }
	std::size_t arena_use_at() const { return size() + 12; }
	std::size_t texts_at() const { return size() + 16; }
	std::size_t cursor_at() const { return size() + 20; }
	std::size_t counts_at() const { return size() + variables_size; }
	std::size_t hashes_at() const { return counts_at() + std::size_t{8} * room; }
	std::size_t errors_at() const { return counts_at() + std::size_t{16} * room; }
	std::size_t minima_at() const { return counts_at() + std::size_t{24} * room; }
	std::size_t offsets_at() const { return minima_at() + std::size_t{8} * blocks; }
	std::size_t buckets_at() const { return offsets_at() + std::size_t{4} * room; }
	std::size_t links_at() const { return buckets_at() + Index::buckets_size * room; }
	std::size_t lengths_at() const { return links_at() + Index::link_size * room; }
	std::size_t arena_at() const { return lengths_at() + std::size_t{2} * room; }

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		const Header header{SketchKind::topk, static_cast<std::uint8_t>(Form::working), kind, parameters.seed};
		header.write(to);
		store_le(to + header.size(), parameters.k);
		store_le(to + header.size() + 4, room);
	}

	// Reads the front of an image; false where it is no working one.
	bool read(Bytes image)
	{
		Header header;
		header.sketch = SketchKind::topk;
		if (header.read(image) != Malformed::no || header.form != static_cast<unsigned>(Form::working) ||
		    image.size() < header.size() + parameters_size)
			return false;
		const auto k = load_le<std::uint32_t>(image.data() + header.size());
		const auto counters = load_le<std::uint32_t>(image.data() + header.size() + 4);
		if (!is_valid_k(k) || counters == 0 || counters > counters_for(k))
			return false;
		*this = WorkingHead({k, header.seed}, counters);
		kind = header.kind;
		return image.size() >= arena_at();
	}
};

using KnownHead = bloomsketch::KnownHead<WorkingHead, Header::fixed_size + WorkingHead::parameters_size>;

// How large a working image is.
struct Layout {
	WorkingHead head;
	std::size_t size = 0;

	// The smallest one for so many counters, m at most, with texts that take so many
	// bytes of the arena. What a larger allocation leaves goes to more counters of the
	// same size, and to texts.
	static Layout holding(const Parameters &parameters, std::uint32_t counters, std::size_t texts)
	{
		Layout layout{WorkingHead(parameters, counters), 0};
		const std::size_t needed = layout.head.arena_at() + texts;
		layout.size = rounded_up(length_word + needed) - length_word;
		if (counters == layout.head.capacity)
			return layout;
		const std::size_t more = (layout.size - needed) / (WorkingHead::counter_size + texts / counters);
		const std::size_t below = layout.head.capacity - 1;  // m itself takes minima
		layout.head.room = static_cast<std::uint32_t>(std::min(counters + more, below));
		return layout;
	}

private:
	// PostgreSQL rounds allocations up to powers of two, its length word included,
	// until they are large. 256 are the first power that holds a few short values.
	static constexpr std::size_t length_word = 4;
	static constexpr std::size_t smallest_allocation = 256;
	static constexpr std::size_t largest_rounded = 8'192;

	// Large ones in steps of an eighth or less: no more than that is lost, and images that
	// grow by little do not do so often.
	static std::size_t rounded_up(std::size_t size)
	{
		if (size <= largest_rounded)
			return std::max(smallest_allocation, std::bit_ceil(size));
		const std::size_t step = std::bit_floor(size) / 8;
		return (size + step - 1) / step * step;
	}
};

}  // namespace bloomsketch::topk
