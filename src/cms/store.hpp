// Writes images at rest: the same bytes for the same counters and parameters,
// whatever way these came about. Memory is the caller's: `allocate(size)` gives a
// writable image of so many bytes, also for what is needed on the way only.
#pragma once

#include "cms/cms.hpp"
#include "common/scratch.hpp"

namespace bloomsketch::cms {

// The sketch over no values that has no parameters yet and unites with any.
inline void store_parameterless(std::uint8_t *to)
{
	Header{SketchKind::cms, static_cast<std::uint8_t>(Form::sparse), {}, 0}.write(to);
}

namespace detail {

// What an image at rest begins with.
struct RestHead {
	Parameters parameters;
	ValueKind kind;
	std::uint64_t total;

	Header header(Form form) const { return {SketchKind::cms, static_cast<std::uint8_t>(form), kind, parameters.seed}; }
	std::size_t size() const { return header(Form::sparse).size() + parameters_size + varint_size(total); }

	// Writes size() bytes and returns what is behind them.
	std::uint8_t *write(std::uint8_t *to, Form form) const
	{
		header(form).write(to);
		return write_varint(write_parameters(to + header(form).size(), parameters), total);
	}
};

template <class Allocate>
MutableBytes store_sparse(const RestHead &head, Geometry geometry, std::span<const Counter> counters, Allocate allocate)
{
	const SparseCode code(counters, geometry);
	const MutableBytes image = allocate(head.size() + varint_size(counters.size()) + code.size());
	code.write(write_varint(head.write(image.data(), Form::sparse), counters.size()));
	return image;
}

template <class Allocate>
MutableBytes store_packed(const RestHead &head, const Sketch &dense, Allocate allocate)
{
	const std::uint32_t counters = dense.geometry().counters();
	PackedCode code(allocate_array<BlockCode>(block_count(counters), allocate), counters);
	dense.each_chunk([&](std::uint32_t first, std::span<const std::uint64_t> chunk) { code.fit(first, chunk); });
	const MutableBytes image = allocate(head.size() + code.size());
	code.write_to(head.write(image.data(), Form::packed));
	dense.each_chunk([&](std::uint32_t first, std::span<const std::uint64_t> chunk) { code.write(first, chunk); });
	return image;
}

// Brings counters into ascending order, each position once; how many there are.
inline std::size_t sort_and_add(std::span<Counter> counters)
{
	std::sort(counters.begin(), counters.end(), [](const Counter &a, const Counter &b) { return a.position < b.position; });
	std::size_t count = 0;
	for (const Counter &counter : counters)
		if (count != 0 && counters[count - 1].position == counter.position)
			counters[count - 1].value += counter.value;
		else
			counters[count++] = counter;
	return count;
}

}  // namespace detail

// How many counters of a dense sketch are not 0.
inline std::uint32_t counters_used(const Sketch &dense)
{
	std::uint32_t used = 0;
	dense.each_chunk([&](std::uint32_t, std::span<const std::uint64_t> chunk) {
		for (const std::uint64_t counter : chunk)
			used += counter != 0;
	});
	return used;
}

namespace detail {

// The counters of a list, in ascending order.
template <class Allocate>
std::span<const Counter> counters_of_list(const Sketch &sketch, Allocate allocate)
{
	std::size_t count = 0;
	const std::span<Counter> counters =
		allocate_array<Counter>(std::size_t{sketch.list().count()} * sketch.depth(), allocate);
	sketch.list().each([&](Hash64 hash, std::uint64_t weight) {
		each_position(hash, sketch.geometry(), [&](std::uint32_t position) {
			if (count < counters.size())
				counters[count++] = {position, weight};
		});
	});
	return counters.first(sort_and_add(counters.first(count)));
}

}  // namespace detail

// The counters that are not 0, in ascending order, of any form. Other forms than
// lists have at most `most` of them.
template <class Allocate>
Malformed collect_counters(const Sketch &sketch, std::uint32_t most, Allocate allocate, std::span<const Counter> &collected)
{
	if (sketch.is_list()) {
		collected = detail::counters_of_list(sketch, allocate);
		return Malformed::no;
	}
	std::size_t count = 0;
	const std::span<Counter> counters = allocate_array<Counter>(most, allocate);
	const Malformed reason = sketch.each_counter([&](Counter counter) {
		if (count < counters.size())
			counters[count++] = counter;
	});
	collected = counters.first(count);
	return reason;
}

// The canonical image of a sketch in any form.
template <class Allocate>
MutableBytes store(const Sketch &sketch, Allocate allocate)
{
	if (!sketch.is_working()) {
		const MutableBytes copy = allocate(sketch.size());
		std::copy(sketch.image().begin(), sketch.image().end(), copy.begin());
		return copy;
	}
	const detail::RestHead head{sketch.parameters(), sketch.kind(), sketch.total()};
	const std::uint32_t used = sketch.is_list() ? 0 : counters_used(sketch);
	if (used > sparse_limit(sketch.geometry()))
		return detail::store_packed(head, sketch, allocate);
	std::span<const Counter> counters;
	collect_counters(sketch, used, allocate, counters);  // of a working form
	return detail::store_sparse(head, sketch.geometry(), counters, allocate);
}

}  // namespace bloomsketch::cms
