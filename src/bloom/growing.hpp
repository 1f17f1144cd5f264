// Filters in layers that grow, and that are united. Memory is the caller's:
// `allocate(size)` gives a writable image of so many bytes; what was outgrown is left
// to whoever allocated it.
//
// A value that no layer holds goes to the first layer with room, else into a new one:
// of twice the largest capacity, at 0.1, 0.05, 0.025 .. of the target rate, so that
// all layers that are ever added take 0.2 of it together.
#pragma once

#include "bloom/layered.hpp"

namespace bloomsketch::bloom {

enum class Growth { done, too_many_layers, too_large, damaged };

inline constexpr double share_of_growth = 0.2;

// Layers with their blocks, wherever those are; a layer without has no bit yet.
struct LayerParts {
	LayersHead head;
	std::array<Bytes, max_layers> bodies;

	LayerParts() = default;
	explicit LayerParts(const Layered &filter) : head(filter.head())
	{
		for (std::size_t i = 0; i < filter.layers(); ++i)
			bodies[i] = filter.body(i);
	}

	// False where there are 16 already.
	bool append(const Layer &layer, Bytes body)
	{
		if (head.count == max_layers)
			return false;
		head.layers[head.count] = layer;
		bodies[head.count++] = body;
		return true;
	}

	std::size_t image_size() const { return LayersHead(head).lay_out(); }
};

// Writes layers into an image of their own.
template <class Allocate>
MutableBytes write_layers(LayerParts parts, Form form, Allocate allocate)
{
	parts.head.header.form = static_cast<std::uint8_t>(form);
	const MutableBytes image = allocate(parts.head.lay_out());
	parts.head.write(image.data());
	for (std::size_t i = 0; i < parts.head.count; ++i) {
		std::uint8_t *to = image.data() + parts.head.layers[i].offset;
		const std::size_t size = parts.head.layers[i].body_size();
		for (std::size_t at = 0; at < size; at += chunk_bytes) {
			check_for_interrupts();
			const std::size_t length = std::min(chunk_bytes, size - at);
			if (parts.bodies[i].empty())
				std::memset(to + at, 0, length);
			else
				std::memcpy(to + at, parts.bodies[i].data() + at, length);
		}
	}
	return image;
}

// The layer that a filter at rest grows by; 0 blocks where no image holds it.
inline Layer next_layer_at_rest(const LayersHead &head)
{
	const std::uint64_t capacity = 2 * head.largest_capacity();
	if (capacity > static_cast<std::uint64_t>(largest_capacity))
		return {};
	double rate = share_of_growth * head.target;
	for (std::size_t i = 0; i < head.count; ++i)
		rate /= 2;
	rate = std::max(rate, smallest_rate(capacity));
	const Sizing sizing = size_for(capacity, rate, largest_image >> (block_bits_log2_for(rate) - 3));
	return {capacity, 0, sizing.blocks, sizing.hashes, sizing.block_bits_log2, 0};
}

// Sets a value's bits in a layer of an image that was opened.
inline void add_to_layer(MutableBytes image, const LayersHead &head, std::size_t i, Hash64 hash)
{
	const Layer &layer = head.layers[i];
	add_to_block(image.data() + layer.block_offset(hash), hash, layer.hashes, layer.block_bits_log2);
	store_le(image.data() + head.added_offset(i), layer.added + 1);
}

// Adds a value to an image; next_layer(head) says what it grows by. The image is
// changed in place, or becomes a larger one. A value that a layer holds changes
// nothing; nor does one that there is no layer for.
template <class NextLayer, class Allocate>
Growth add_to_layers(MutableBytes &image, Hash64 hash, NextLayer next_layer, Allocate allocate)
{
	Layered filter;
	if (Layered::open(image, filter) != Malformed::no)
		return Growth::damaged;
	if (filter.contains(hash))
		return Growth::done;
	const LayersHead &head = filter.head();
	for (std::size_t i = 0; i < head.count; ++i)
		if (head.layers[i].has_room()) {
			add_to_layer(image, head, i, hash);
			return Growth::done;
		}
	if (head.count == max_layers)
		return Growth::too_many_layers;
	const Layer layer = next_layer(head);
	LayerParts parts(filter);
	parts.append(layer, {});
	if (layer.blocks == 0 || parts.image_size() > largest_image)
		return Growth::too_large;
	image = write_layers(parts, static_cast<Form>(head.header.form), allocate);
	Layered larger;
	Layered::open(image, larger);
	add_to_layer(image, larger.head(), head.count, hash);
	return Growth::done;
}

template <class Allocate>
Growth add_at_rest(MutableBytes &image, Hash64 hash, Allocate allocate)
{
	return add_to_layers(image, hash, next_layer_at_rest, allocate);
}

// Which of two strings of blocks has bits that the other one lacks.
struct Lacking {
	Lacking(Bytes a, Bytes b)
	{
		for (std::size_t at = 0; at < a.size() && !(in_a && in_b); at += 8) {
			if (at % chunk_bytes == 0)
				check_for_interrupts();
			const auto x = load_le<std::uint64_t>(a.data() + at), y = load_le<std::uint64_t>(b.data() + at);
			in_a = in_a || (y & ~x) != 0;
			in_b = in_b || (x & ~y) != 0;
		}
	}

	bool in_a = false;
	bool in_b = false;
};

namespace detail {

// Whether a layer, one of another filter's, holds all of one of these layers, or is
// held by it: then one of the two is enough.
inline bool covers_or_is_covered(LayerParts &parts, std::size_t i, const Layer &layer, Bytes body, bool &is_changed)
{
	Layer &held = parts.head.layers[i];
	if (!held.is_shaped_as(layer) || held.capacity != layer.capacity)
		return false;
	const Lacking lacking(parts.bodies[i], body);
	if (lacking.in_a && lacking.in_b)
		return false;
	if (lacking.in_a) {
		parts.bodies[i] = body;
		is_changed = true;
	}
	is_changed = is_changed || layer.added > held.added;
	held.added = std::max(held.added, layer.added);
	return true;
}

}  // namespace detail

// The union of two filters at rest that compare() finds nothing against: all layers of
// both, but those that are held by another one. Where that is `a` alone, its own image.
template <class Allocate>
Growth unite(const Layered &a, const Layered &b, Bytes &image, Allocate allocate)
{
	LayerParts parts(a);
	bool is_changed = false;
	for (std::size_t i = 0; i < b.layers(); ++i) {
		bool is_covered = false;
		for (std::size_t j = 0; j < a.layers() && !is_covered; ++j)
			is_covered = detail::covers_or_is_covered(parts, j, b.layer(i), b.body(i), is_changed);
		if (is_covered)
			continue;
		if (!parts.append(b.layer(i), b.body(i)))
			return Growth::too_many_layers;
		is_changed = true;
	}
	if (parts.image_size() > largest_image)
		return Growth::too_large;
	image = is_changed ? Bytes(write_layers(parts, Form::layered, allocate)) : a.image();
	return Growth::done;
}

}  // namespace bloomsketch::bloom
