// Filters that size themselves: hashes are collected (collecting.hpp) until there are
// too many, then an oversized filter goes on (oversized.hpp), and at the end either
// becomes a filter in layers with, as a rule, one. Memory is the caller's, as in
// growing.hpp.
#pragma once

#include "bloom/collecting.hpp"
#include "bloom/oversized.hpp"

namespace bloomsketch::bloom {

// Whether an image is, or becomes, a filter in layers.
inline bool sizes_itself(Bytes image)
{
	return image.size() >= Header::fixed_size && Header::form_at(image.data()) >= static_cast<unsigned>(Form::layered) &&
	       Header::form_at(image.data()) <= static_cast<unsigned>(Form::oversized);
}
inline bool is_in_form(Bytes image, Form form)
{
	return image.size() >= Header::fixed_size && Header::form_at(image.data()) == static_cast<unsigned>(form);
}

// What images of the forms 2, 3 and 4 begin with.
struct TargetHead {
	static constexpr std::size_t largest = Header::fixed_size + Header::seed_size + 8;

	Malformed read(Bytes image)
	{
		header.sketch = SketchKind::bloom;
		if (const Malformed reason = header.read(image); reason != Malformed::no)
			return reason;
		if (!sizes_itself(image))
			return Malformed::unknown_form;
		if (image.size() < size())
			return Malformed::too_short;
		target = std::bit_cast<double>(load_le<std::uint64_t>(image.data() + header.size()));
		return Malformed::no;
	}

	std::size_t size() const { return header.size() + 8; }

	Header header;
	double target = 0;
};

// An empty table, for a target that is a rate.
template <class Allocate>
MutableBytes begin_collecting(ValueKind kind, std::int64_t seed, double target, Allocate allocate)
{
	const MutableBytes image = allocate(Collecting::image_size(seed, Collecting::fewest_places));
	Collecting::create(image, kind, seed, target);
	return image;
}

namespace detail {

template <class Allocate>
Collecting with_places(const Collecting &table, std::size_t places, Allocate allocate)
{
	Collecting larger = Collecting::create(allocate(Collecting::image_size(table.seed(), places)), table.kind(),
	                                       table.seed(), table.target());
	table.each([&](Hash64 hash) { static_cast<void>(larger.put(hash)); });  // there is room
	return larger;
}

// Puts all hashes of a table into a filter in layers.
template <class Allocate>
Growth pour(const Collecting &table, MutableBytes &image, Allocate allocate)
{
	Growth growth = Growth::done;
	table.each([&](Hash64 hash) {
		if (growth == Growth::done)
			growth = add_oversized(image, hash, allocate);
	});
	return growth;
}

// The blocks of one layer, filled with the hashes of a table.
inline void fill_layer(const Collecting &table, MutableBytes image, const LayersHead &head)
{
	const Layer &layer = head.layers[0];
	table.each([&](Hash64 hash) {
		add_to_block(image.data() + layer.block_offset(hash), hash, layer.hashes, layer.block_bits_log2);
	});
}

// A filter with one layer, of a form, of the hashes of a table.
template <class Allocate>
MutableBytes one_layer(const Collecting &table, Layer layer, Form form, Allocate allocate)
{
	LayerParts parts;
	parts.head.header = {SketchKind::bloom, 0, table.kind(), table.seed()};
	parts.head.target = table.target();
	layer.added = table.values();
	parts.append(layer, {});
	const MutableBytes image = write_layers(parts, form, allocate);
	Layered filter;
	Layered::open(image, filter);
	fill_layer(table, image, filter.head());
	return image;
}

template <class Allocate>
MutableBytes to_oversized(const Collecting &table, Allocate allocate)
{
	return one_layer(table, first_oversized_layer(table.target(), Collecting::most_values), Form::oversized, allocate);
}

template <class Allocate>
Growth add_collecting(MutableBytes &image, Hash64 hash, Allocate allocate)
{
	Collecting table;
	if (Collecting::open(image, table) != Malformed::no)
		return Growth::damaged;
	if (table.insert(hash))
		return Growth::done;
	if (table.places() == Collecting::most_places) {
		image = to_oversized(table, allocate);
		return add_oversized(image, hash, allocate);
	}
	Collecting larger = with_places(table, 2 * table.places(), allocate);
	static_cast<void>(larger.insert(hash));
	image = larger.image();
	return Growth::done;
}

// How many of a table's values another one has, too.
inline std::uint64_t count_common(const Collecting &a, const Collecting &b)
{
	std::uint64_t common = 0;
	a.each([&](Hash64 hash) { common += b.contains(hash); });
	return common;
}

// The size of the union is counted first: inserted in order into a table that is too
// small, hashes would all crowd at its front.
template <class Allocate>
Growth unite_tables(MutableBytes &image, const Collecting &other, Allocate allocate)
{
	Collecting table;
	Collecting::open(image, table);
	const bool is_full = !table.place_waiting();
	const std::uint64_t values = table.values() + other.values() - count_common(other, table);
	if (values > Collecting::most_values || (is_full && table.places() == Collecting::most_places)) {
		image = to_oversized(table, allocate);
		return pour(other, image, allocate);
	}
	if (const std::size_t places = Collecting::places_for(values); is_full || places > table.places())
		table = with_places(table, places, allocate);
	other.each([&](Hash64 hash) { static_cast<void>(table.put(hash)); });
	image = table.image();
	return Growth::done;
}

}  // namespace detail

// Adds a value to an image of the forms 2, 3 or 4, in place or in a larger one; in form
// 2 as growing.hpp says.
template <class Allocate>
Growth add(MutableBytes &image, Hash64 hash, Allocate allocate)
{
	switch (static_cast<Form>(Header::form_at(image.data()))) {
	case Form::collecting: return detail::add_collecting(image, hash, allocate);
	case Form::oversized: return add_oversized(image, hash, allocate);
	default: return add_at_rest(image, hash, allocate);
	}
}

// Takes over what another state holds, of the forms 3 or 4 both, that has the same
// target, seed and kind. In place, or in a larger image.
template <class Allocate>
Growth combine(MutableBytes &image, Bytes other, Allocate allocate)
{
	Collecting table, other_table;
	Layered filter;
	const bool has_table = Collecting::open(image, table) == Malformed::no;
	const bool gets_table = Collecting::open(other, other_table) == Malformed::no;
	if (has_table && gets_table)
		return detail::unite_tables(image, other_table, allocate);
	if (gets_table)
		return detail::pour(other_table, image, allocate);
	Layered::open(other, filter);
	if (!has_table)
		return unite_oversized(image, filter, allocate);
	image = write_layers(LayerParts(filter), Form::oversized, allocate);
	return detail::pour(table, image, allocate);
}

// The filter at rest with what a state of the forms 3 or 4 holds, which opens and has
// values; size(capacity, rate) gives a filter's Sizing. Empty where one layer would be
// too large.
template <class Size, class Allocate>
MutableBytes to_rest(Bytes state, Size size, Allocate allocate)
{
	Collecting table;
	if (Collecting::open(state, table) != Malformed::no) {
		Layered filter;
		Layered::open(state, filter);
		return fold_to_rest(filter, allocate);
	}
	const Sizing sizing = size(table.values(), table.target());
	if (sizing.blocks == 0)
		return {};
	const Layer layer{table.values(), 0, sizing.blocks, sizing.hashes, sizing.block_bits_log2, 0};
	return detail::one_layer(table, layer, Form::layered, allocate);
}

// Why an image of the forms 2, 3 or 4 can't be opened.
inline Malformed try_open(Bytes image)
{
	Collecting table;
	Layered filter;
	return is_in_form(image, Form::collecting) ? Collecting::open(image, table) : Layered::open(image, filter);
}

// Checks bytes from outside of the forms 2, 3 or 4, whole, and gives the filter at rest;
// the bytes themselves where they are that, empty where a state has no values.
template <class Size, class Allocate>
Malformed accept(Bytes bytes, Bytes &image, Size size, Allocate allocate)
{
	Collecting table;
	Layered filter;
	image = {};
	if (is_in_form(bytes, Form::collecting)) {
		Malformed reason = Collecting::open(bytes, table);
		if (reason == Malformed::no)
			reason = table.check();
		if (reason != Malformed::no || table.values() == 0)
			return reason;
		if (table.target() < smallest_rate(table.values()))
			return Malformed::bad_parameters;
	} else {
		Malformed reason = Layered::open(bytes, filter);
		if (reason == Malformed::no)
			reason = filter.check();
		if (reason != Malformed::no)
			return reason;
		if (!filter.is_oversized()) {
			image = bytes;
			return reason;
		}
	}
	image = to_rest(bytes, size, allocate);
	return Malformed::no;
}

}  // namespace bloomsketch::bloom
