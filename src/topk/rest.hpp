// Writing a sketch at rest (topk.hpp).
#pragma once

#include "topk/topk.hpp"

namespace bloomsketch::topk {

// What an image at rest begins with.
struct RestHead {
	Parameters parameters;
	ValueKind kind;
	std::uint64_t total;
	std::uint32_t used;

	Header header() const { return {SketchKind::topk, static_cast<std::uint8_t>(Form::rest), kind, parameters.seed}; }
	std::size_t size() const { return header().size() + varint_size(parameters.k) + varint_size(total) + varint_size(used); }

	// Writes size() bytes and returns what is behind them.
	std::uint8_t *write(std::uint8_t *to) const
	{
		header().write(to);
		return write_varint(write_varint(write_varint(to + header().size(), parameters.k), total), used);
	}
};

// The image at rest of counters. `each(use)` calls use(const Counter &) for every one, by
// ascending hash; it is called twice.
template <class Each, class Allocate>
MutableBytes write_rest(const RestHead &head, Each each, Allocate allocate)
{
	std::size_t size = head.size();
	each([&](const Counter &counter) { size += size_of(counter); });
	const MutableBytes image = allocate(size);
	std::uint8_t *to = head.write(image.data());
	each([&](const Counter &counter) { to = write(counter, to); });
	return image;
}

}  // namespace bloomsketch::topk
