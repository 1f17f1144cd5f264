// A Count-Min sketch that is being built: a view over a writable image in one of
// the working forms, changed in place, or over a sparse one at rest, which is only
// ever replaced. It never allocates. What it has no room for it refuses with
// `no_room`, unchanged; building.hpp then makes the next image.
#pragma once

#include "cms/cms.hpp"

namespace bloomsketch::cms {

enum class Change {
	done,
	no_room,    // unchanged: the image is to be replaced by a larger one
	too_large,  // unchanged: the total would pass 2^63 - 1
	damaged,    // the other sketch is malformed; the state is of no use any more
};

// A working form and the bytes that its image takes.
struct Layout {
	Form form;
	std::size_t size;
};

class State {
public:
	State() = default;

	// The smallest layout for a total and a number of distinct values.
	static Layout layout_for(Geometry geometry, std::int64_t seed, std::uint64_t total, std::uint32_t entries)
	{
		const std::size_t list = list_size(seed, entries), dense = dense_size(geometry, seed, total);
		if (entries <= list_limit(geometry) && list < dense)
			return {Form::list, list};
		return {dense_form(total), dense};
	}
	static Layout dense_layout(Geometry geometry, std::int64_t seed, std::uint64_t total)
	{
		return {dense_form(total), dense_size(geometry, seed, total)};
	}

	// Makes an empty sketch in `image`, which has the layout's size.
	static State create(MutableBytes image, Form form, const Parameters &parameters, Geometry geometry, ValueKind kind)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::cms, static_cast<std::uint8_t>(form), kind, parameters.seed};
		header.write(image.data());
		std::uint8_t *to = write_parameters(image.data() + header.size(), parameters);
		store_le(to, geometry.width);
		store_le(to + 4, geometry.depth);
		State state;
		open(image, state);
		return state;
	}

	// Opens a working image to be changed in place, or a sparse one at rest, which
	// building.hpp replaces. False of any other: packed, without parameters, or no
	// image at all.
	static bool open(MutableBytes image, State &state)
	{
		Header header;
		header.sketch = SketchKind::cms;
		if (header.read(image) != Malformed::no)
			return false;
		if (static_cast<Form>(header.form) == Form::sparse)
			return state.open_sparse(image);
		WorkingHead head;
		if (head.read(image, header) != Malformed::no)
			return false;
		state.attach(image, head);
		return true;
	}

	// Opens a working image by a head that was read before. False if it begins with
	// other bytes.
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state.attach(image, known.head());
		return true;
	}

	// Of a working image: as it stands, with its kind of value.
	KnownHead known_head() const { return KnownHead(head_, image_); }

	MutableBytes image() const { return image_; }
	const Parameters &parameters() const { return head_.parameters; }
	Geometry geometry() const { return head_.geometry; }
	Form form() const { return head_.form; }
	bool is_dense() const { return form() == Form::dense32 || form() == Form::dense64; }
	bool is_sparse() const { return form() == Form::sparse; }

	// The sketch as it stands.
	Sketch read() const
	{
		Sketch sketch;
		Sketch::open(image_, sketch);
		return sketch;
	}
	std::uint64_t total() const { return is_sparse() ? read().total() : load_le<std::uint64_t>(total_at()); }

	// `none` exactly while the total is 0: set it only when adding a weight above 0.
	ValueKind kind() const { return head_.kind; }
	void set_kind(ValueKind kind)
	{
		Header::set_kind(image_.data(), kind);
		head_.kind = kind;
	}

	// Adds a weight of at most 2^63 - 1 to a value's hash. A weight of 0 changes
	// nothing. no_room: in a sketch at rest, in a list that is full, and in dense32
	// when the total passes 2^32 - 1.
	Change add(Hash64 hash, std::uint64_t weight)
	{
		if (is_sparse())
			return Change::no_room;
		const std::uint64_t after = load_le<std::uint64_t>(total_at()) + weight;
		switch (form()) {
		case Form::dense32:
			if (after > UINT32_MAX)
				return after > max_total ? Change::too_large : Change::no_room;
			add_to_rows<std::uint32_t>(hash, weight);
			break;
		case Form::dense64:
			if (after > max_total)
				return Change::too_large;
			add_to_rows<std::uint64_t>(hash, weight);
			break;
		default:
			if (after > max_total)
				return Change::too_large;
			if (weight == 0)
				return Change::done;
			if (!has_room_for(hash) || !add_to_list(body_, hash, weight))
				return Change::no_room;
		}
		store_le(total_at(), after);
		return Change::done;
	}

	// Adds what another sketch of equal parameters holds, in any form. no_room: as in
	// add(), and in a list when the other is none.
	Change merge(const Sketch &other)
	{
		const std::uint64_t after = total() + other.total();
		if (after > max_total)
			return Change::too_large;
		if (other.is_empty())
			return Change::done;
		Malformed reason = Malformed::no;
		if (form() == Form::dense64)
			reason = add_counters<std::uint64_t>(other);
		else if (form() == Form::dense32 && after <= UINT32_MAX)
			reason = add_counters<std::uint32_t>(other);
		else if (form() == Form::list && other.is_list() && entries_with(other) <= room())
			other.list().each([&](Hash64 hash, std::uint64_t weight) { add_to_list(body_, hash, weight); });
		else
			return Change::no_room;
		store_le(total_at(), after);
		return reason == Malformed::no ? Change::done : Change::damaged;
	}

	// Dense: takes away what another sketch of equal parameters holds, in any form,
	// which must have been merged before: gives the counters of never having merged
	// it. False, and unchanged, where a counter would go below 0.
	bool subtract(const Sketch &other)
	{
		const std::uint64_t before = total();
		if (!is_dense() || other.total() > before)
			return false;
		if (!(form() == Form::dense32 ? subtract_counters<std::uint32_t>(other) : subtract_counters<std::uint64_t>(other)))
			return false;
		store_le(total_at(), before - other.total());
		if (other.total() == before)
			set_kind({});
		return true;
	}

	// How many distinct hashes a list has together with another one.
	std::uint32_t entries_with(const Sketch &other) const
	{
		const List mine(body_);
		std::uint32_t entries = mine.count();
		other.list().each([&](Hash64 hash, std::uint64_t) { entries += !mine.contains(hash); });
		return entries;
	}

	// Entries that a list may hold in its image.
	std::uint32_t room() const { return std::min(list_capacity(List(body_).slots()), list_limit(geometry())); }

private:
	// PostgreSQL rounds small allocations up to powers of two, its length word
	// included: with it, slots fill them.
	static constexpr std::size_t length_word = 4;
	static constexpr std::size_t smallest_allocation = 128;

	static std::size_t head_size(std::int64_t seed)
	{
		return Header{SketchKind::cms, 0, {}, seed}.size() + parameters_size + geometry_size + total_size;
	}

	static std::size_t list_size(std::int64_t seed, std::uint32_t entries)
	{
		const std::size_t around = length_word + head_size(seed) + List::count_size;
		std::size_t allocation = smallest_allocation;
		std::size_t slots = (allocation - around) / List::slot_size;
		while (list_capacity(static_cast<std::uint32_t>(slots)) < entries) {
			allocation *= 2;
			slots = (allocation - around) / List::slot_size;
		}
		return around - length_word + slots * List::slot_size;
	}

	static Form dense_form(std::uint64_t total) { return total <= UINT32_MAX ? Form::dense32 : Form::dense64; }

	static std::size_t dense_size(Geometry geometry, std::int64_t seed, std::uint64_t total)
	{
		const std::size_t counter = dense_form(total) == Form::dense32 ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
		return head_size(seed) + counter * geometry.counters();
	}

	void attach(MutableBytes image, const WorkingHead &head)
	{
		image_ = image;
		head_ = head;
		body_ = image.subspan(head.body_at());
	}

	bool open_sparse(MutableBytes image)
	{
		Sketch sketch;
		if (Sketch::open(image, sketch) != Malformed::no || sketch.is_parameterless())
			return false;
		image_ = image;
		head_ = {Form::sparse, sketch.kind(), sketch.parameters(), sketch.geometry()};
		return true;
	}

	std::uint8_t *total_at() const { return image_.data() + head_.total_at(); }

	bool has_room_for(Hash64 hash) const
	{
		const List list(body_);
		return list.count() < room() || list.contains(hash);
	}

	template <class T>
	void add_to_rows(Hash64 hash, std::uint64_t weight)
	{
		std::uint8_t *row = body_.data();
		for (std::uint32_t r = 0; r < geometry().depth; ++r, row += geometry().width * sizeof(T)) {
			std::uint8_t *counter = row + column_of(hash, r, geometry().width) * sizeof(T);
			store_le(counter, static_cast<T>(load_le<T>(counter) + static_cast<T>(weight)));
		}
	}

	template <class T>
	Malformed add_counters(const Sketch &other)
	{
		const auto sum = [](T held, T more) { return static_cast<T>(held + more); };
		if (other.form() != Form::packed)
			return combine<T>(other, sum);
		return other.packed().each_reader([&](const BlockReader &reader, Bytes, std::uint32_t first) {
			std::uint8_t *to = body_.data() + first * sizeof(T);
			if (!reader.add_narrow<T>(to)) {
				Block block;
				reader.read(block);
				combine_chunk<T>(to, block.data(), reader.counters(), sum);
			}
			return true;
		});
	}

	// Replaces each counter by combined(counter, the other's).
	template <class T, class Combined>
	Malformed combine(const Sketch &other, Combined combined)
	{
		std::uint8_t *const counters = body_.data();
		const auto change = [&](std::uint32_t position, std::uint64_t value) {
			std::uint8_t *counter = counters + position * sizeof(T);
			store_le(counter, static_cast<T>(combined(load_le<T>(counter), static_cast<T>(value))));
		};
		switch (other.form()) {
		case Form::list:
			other.list().each([&](Hash64 hash, std::uint64_t weight) {
				each_position(hash, geometry(), [&](std::uint32_t position) { change(position, weight); });
			});
			return Malformed::no;
		case Form::sparse: return other.each_counter([&](Counter counter) { change(counter.position, counter.value); });
		default:
			return other.each_chunk([&](std::uint32_t first, std::span<const std::uint64_t> chunk) {
				combine_chunk<T>(counters + first * sizeof(T), chunk.data(), chunk.size(), combined);
			});
		}
	}

	// A loop that compilers vectorise.
	template <class T, class Combined>
	static void combine_chunk(std::uint8_t *__restrict into, const std::uint64_t *__restrict from, std::size_t count,
	                          Combined combined)
	{
		for (std::size_t i = 0; i < count; ++i)
			store_le(into + i * sizeof(T), static_cast<T>(combined(load_le<T>(into + i * sizeof(T)), static_cast<T>(from[i]))));
	}

	// Takes away modulo 2^32 or 2^64, so that adding undoes it.
	template <class T>
	bool subtract_counters(const Sketch &other)
	{
		T below = 0;
		const Malformed reason = combine<T>(other, [&](T held, T less) {
			below |= static_cast<T>(held < less);
			return static_cast<T>(held - less);
		});
		if (below == 0 && reason == Malformed::no)
			return true;
		add_counters<T>(other);
		return false;
	}

	MutableBytes image_;
	MutableBytes body_;  // counters or table
	WorkingHead head_;   // of a sparse image, as far as it has one
};

}  // namespace bloomsketch::cms
