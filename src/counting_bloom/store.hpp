// Counting filters at rest: writing what was built, taking in bytes from outside, and
// the Bloom filter of the same values. Memory is the caller's: `allocate(size)` gives a
// writable image of so many bytes.
#pragma once

#include "bloom/state.hpp"
#include "counting_bloom/state.hpp"

namespace bloomsketch::counting_bloom {

// The image at rest of a filter without values, of which the kind of value may be known.
template <class Allocate>
MutableBytes store_empty(const Parameters &parameters, std::uint64_t blocks, Allocate allocate)
{
	const Head head{{SketchKind::counting_bloom, 0, {}, parameters.seed}, parameters, blocks};
	const MutableBytes image = allocate(head.excess_offset());
	std::fill(image.begin(), image.end(), std::uint8_t{0});
	head.write(image.data());
	return image;
}

namespace detail {

// How many bytes the counters of a working filter take at rest.
inline std::size_t excess_of_all(const Filter &filter)
{
	const std::size_t block_bytes = filter.parameters().block_bytes();
	std::size_t size = 0;
	BlockCounters bits, buffer;
	static_cast<void>(each_block(filter.head(), [&](std::uint64_t block) {
		const std::uint8_t *counters;
		const Malformed reason = filter.read(block, buffer, counters);
		write_bits(counters, block_bytes, bits.data());
		size += excess_size(bloom::count_bits(bits.data(), block_bytes),
		                    sum_of_counters(counters, filter.head().working_block_bytes()));
		return reason;
	}));
	return size;
}

}  // namespace detail

// The image at rest of a working filter.
template <class Allocate>
MutableBytes store(const Filter &filter, Allocate allocate)
{
	Head head = filter.head();
	head.header.form = static_cast<std::uint8_t>(Form::rest);
	const MutableBytes image = allocate(head.excess_offset() + detail::excess_of_all(filter));
	head.write(image.data());
	std::uint8_t *directory = image.data() + head.directory_offset(), *const excess = image.data() + head.excess_offset();
	std::size_t end = 0;
	BlockCounters buffer;
	static_cast<void>(each_block(head, [&](std::uint64_t block) {
		const std::uint8_t *counters;
		const Malformed reason = filter.read(block, buffer, counters);
		end += write_block(counters, head.parameters.block_bytes(), image.data() + head.bits_offset(block), excess + end);
		store_le(directory + static_cast<std::size_t>(block) * entry_size, static_cast<std::uint32_t>(end));
		return reason;
	}));
	return image;
}

// The same filter at rest: the image itself unless it is a working one. One that does
// not open stays as it is.
template <class Allocate>
Bytes at_rest(Bytes image, Allocate allocate)
{
	Filter filter;
	if (Filter::open(image, filter) != Malformed::no || !filter.is_working())
		return image;
	return store(filter, allocate);
}

// Checks bytes from outside, whole, and makes of them an image at rest. Nothing is
// allocated before the check is done.
template <class Allocate>
Malformed accept(Bytes bytes, MutableBytes &stored, Allocate allocate)
{
	Filter filter;
	Malformed reason = Filter::open(bytes, filter);
	if (reason == Malformed::no)
		reason = filter.check();
	if (reason != Malformed::no)
		return reason;
	if (filter.is_working()) {
		stored = store(filter, allocate);
		return reason;
	}
	stored = allocate(bytes.size());
	std::copy(bytes.begin(), bytes.end(), stored.begin());
	return reason;
}

// A working copy of a filter that has parameters.
template <class Allocate>
Malformed copy(const Filter &filter, State &state, Allocate allocate)
{
	state = State::create(allocate(State::image_size(filter.parameters(), filter.blocks())), filter.parameters(),
	                      filter.blocks(), filter.kind());
	return state.merge(filter);
}

// The image of the Bloom filter of the values that are in a filter at rest.
template <class Allocate>
MutableBytes bloom_of(const Filter &filter, Allocate allocate)
{
	if (filter.is_parameterless()) {
		const MutableBytes image = allocate(Header::fixed_size);
		Header{SketchKind::bloom, 0, {}, 0}.write(image.data());
		return image;
	}
	const MutableBytes image = allocate(bloom::State::image_size(filter.parameters(), filter.blocks()));
	bloom::State::create(image, bloom::Form::rest, filter.parameters(), filter.kind());
	const Bytes bits = filter.bits();
	std::copy(bits.begin(), bits.end(), image.end() - static_cast<std::ptrdiff_t>(bits.size()));
	return image;
}

// About how many bytes a filter takes at rest that holds as many values as it was made
// for. A value raises B (1 - (1 - 1/B)^k) counters on average, each by a bit; a block's
// last byte has 3.5 unused bits.
inline double expected_size(const Parameters &parameters, std::uint64_t blocks)
{
	const Head head{{SketchKind::counting_bloom, 0, {}, parameters.seed}, parameters, blocks};
	const double bits = static_cast<double>(8 * parameters.block_bytes());
	const double raised = bits * (1 - bloom::power(1 - 1 / bits, static_cast<std::uint64_t>(parameters.hashes)));
	return static_cast<double>(head.excess_offset()) +
	       (static_cast<double>(parameters.capacity) * raised + 3.5 * static_cast<double>(blocks)) / 8;
}

}  // namespace bloomsketch::counting_bloom
