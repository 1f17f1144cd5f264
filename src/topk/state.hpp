// A Top-K sketch that is being built: a view over a writable working image
// (layout.hpp), changed in place. It never allocates. What it has no room for it
// refuses with `no_room`, unchanged; building.hpp then makes a larger image.
//
// For each row an aggregate does this: hash the value, find() it, add_to() what was
// found; where nothing was, insert() it with its text, which need not be made before.
// Values that are equal but may have several texts (1.0 and 1.00) also replace_text().
#pragma once

#include "topk/change.hpp"
#include "topk/layout.hpp"
#include "topk/minima.hpp"

namespace bloomsketch::topk {

class State {
public:
	static constexpr std::uint32_t none = Index::none;

	State() = default;

	// Makes an empty sketch in `image`, which has the layout's size.
	static State create(MutableBytes image, const Layout &layout)
	{
		// All but the arena, of which nothing is in use.
		std::fill_n(image.begin(), layout.head.arena_at(), std::uint8_t{0});
		layout.head.write(image.data());
		State state;
		state.attach(image, layout.head);
		return state;
	}

	// Opens a working image to be changed in place. False of any other.
	static bool open(MutableBytes image, State &state)
	{
		WorkingHead head;
		if (!head.read(image))
			return false;
		state.attach(image, head);
		return state.used() <= head.room && state.arena_use() <= state.arena_size();
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

	// Whether all counters and their texts lie in the image, for one that was in a table,
	// where it may have been damaged: that is enough for store() to keep within it.
	bool is_sound() const
	{
		const TextArena texts = arena();
		for (std::uint32_t number = 0; number < used(); ++number)
			if (!texts.is_inside(number))
				return false;
		return true;
	}

	// As it stands, with its kind of value.
	KnownHead known_head() const { return KnownHead(head_, image_); }

	MutableBytes image() const { return image_; }
	const Parameters &parameters() const { return head_.parameters; }
	std::uint64_t total() const { return load_le<std::uint64_t>(at(head_.total_at())); }
	std::uint32_t used() const { return load_le<std::uint32_t>(at(head_.used_at())); }
	bool is_full() const { return used() == head_.capacity; }

	// `none` exactly while the total is 0: set it only when adding a weight above 0.
	ValueKind kind() const { return head_.kind; }
	void set_kind(ValueKind kind)
	{
		Header::set_kind(image_.data(), kind);
		head_.kind = kind;
	}

	// The number of the counter with a hash, or none. It is good until the next insert().
	std::uint32_t find(Hash64 hash) const { return index().find(hash); }

	// One of the counters 0 .. used() - 1. Its text is good until the next change.
	Counter counter(std::uint32_t number) const
	{
		return {load_le<Hash64>(hash_at(number)), load_le<std::uint64_t>(count_at(number)),
		        load_le<std::uint64_t>(error_at(number)), arena().text(number)};
	}

	// Whether a weight can be added at all.
	bool takes(std::uint64_t weight) const { return weight <= max_total - total(); }

	// Adds a weight to a counter: done or total_out_of_range.
	Change add_to(std::uint32_t number, std::uint64_t weight)
	{
		const std::uint64_t before = total();
		if (!takes(weight))
			return Change::total_out_of_range;
		store_le(at(head_.total_at()), before + weight);
		store_le(count_at(number), load_le<std::uint64_t>(count_at(number)) + weight);
		return Change::done;
	}

	// Adds a value that find() does not find, with a weight above 0.
	Change insert(Hash64 hash, std::uint64_t weight, Bytes text)
	{
		if (text.size() > longest_text)
			return Change::text_too_long;
		const std::uint64_t before = total();
		if (!takes(weight))
			return Change::total_out_of_range;
		const Change change = is_full() ? take_over(hash, weight, text) : append({hash, weight, 0, text});
		if (change == Change::done)
			store_le(at(head_.total_at()), before + weight);
		return change;
	}

	// Lets a counter have the smaller one of its text and this one. One that is too long is
	// refused in any case, so that the order of values does not matter.
	Change replace_text(std::uint32_t number, Bytes text)
	{
		if (text.size() > longest_text)
			return Change::text_too_long;
		if (!is_smaller_text(text, arena().text(number)))
			return Change::done;
		return put_text(number, text);
	}

	// Appends a counter that is not there, with a text that is not too long, to a state
	// that is not full. The total is the caller's.
	Change append(const Counter &counter)
	{
		const std::uint32_t number = used();
		if (texts() + counter.text.size() > most_text)
			return Change::texts_too_large;
		TextArena arena = this->arena();
		if (number == head_.room || !arena.put(number, counter.text))
			return Change::no_room;
		store_le(at(head_.arena_use_at()), static_cast<std::uint32_t>(arena.used()));
		set_texts(texts() + counter.text.size());
		store_le(hash_at(number), counter.hash);
		store_le(count_at(number), counter.count);
		store_le(error_at(number), counter.error);
		index().insert(counter.hash, number);
		store_le(at(head_.used_at()), number + 1);
		return Change::done;
	}
	void set_total(std::uint64_t total) { store_le(at(head_.total_at()), total); }

	// A layout with what is here, and room for another text of this length. Where texts
	// are in the way their arena gets 3/8 more: then more than the quarter of it that
	// put_text() asks for is free.
	Layout larger(std::size_t length) const
	{
		const std::uint32_t count = used();
		const std::size_t records = arena().live(count) + TextArena::record_size(length);
		if (count < head_.room || is_full())  // texts are in the way
			return Layout::holding(head_.parameters, head_.room, records + records * 3 / 8);
		const std::uint32_t counters = std::min(2 * count, head_.capacity);
		return Layout::holding(head_.parameters, counters, records * counters / (count + 1) + TextArena::record_size(length));
	}

private:
	void attach(MutableBytes image, const WorkingHead &head)
	{
		image_ = image;
		head_ = head;
	}

	std::uint8_t *at(std::size_t position) const { return image_.data() + position; }
	std::uint8_t *count_at(std::uint32_t number) const { return at(head_.counts_at() + std::size_t{number} * 8); }
	std::uint8_t *hash_at(std::uint32_t number) const { return at(head_.hashes_at() + std::size_t{number} * 8); }
	std::uint8_t *error_at(std::uint32_t number) const { return at(head_.errors_at() + std::size_t{number} * 8); }

	std::size_t texts() const { return load_le<std::uint32_t>(at(head_.texts_at())); }
	void set_texts(std::size_t bytes) { store_le(at(head_.texts_at()), static_cast<std::uint32_t>(bytes)); }
	std::size_t arena_use() const { return load_le<std::uint32_t>(at(head_.arena_use_at())); }
	std::size_t arena_size() const { return image_.size() - head_.arena_at(); }

	Index index() const { return {at(head_.buckets_at()), at(head_.links_at()), at(head_.hashes_at()), head_.room}; }
	TextArena arena() const
	{
		return {image_.subspan(head_.arena_at()), arena_use(), at(head_.offsets_at()), at(head_.lengths_at())};
	}

	// Makes the least counter that of a hash.
	Change take_over(Hash64 hash, std::uint64_t weight, Bytes text)
	{
		auto cursor = load_le<std::uint32_t>(at(head_.cursor_at()));
		Minima minima(at(head_.counts_at()), head_.capacity, at(head_.minima_at()), head_.block_bits);
		const std::uint32_t number = minima.least(cursor);
		store_le(at(head_.cursor_at()), cursor);
		if (const Change change = put_text(number, text); change != Change::done)
			return change;
		index().remove(number);
		const auto minimum = load_le<std::uint64_t>(count_at(number));
		store_le(hash_at(number), hash);
		store_le(count_at(number), minimum + weight);
		store_le(error_at(number), minimum);
		index().insert(hash, number);
		return Change::done;
	}

	// Gives a counter another text. A full arena is compacted where that frees a quarter
	// of it or more: what frees less would have to be done again after few texts.
	Change put_text(std::uint32_t number, Bytes text)
	{
		TextArena arena = this->arena();
		const std::size_t texts_after = texts() - arena.text(number).size() + text.size();
		if (texts_after > most_text)
			return Change::texts_too_large;
		bool is_put = arena.replace(number, text);
		if (!is_put && arena_size() - arena.live(used()) >= arena_size() / 4) {
			arena.compact(used());
			is_put = arena.replace(number, text);
		}
		store_le(at(head_.arena_use_at()), static_cast<std::uint32_t>(arena.used()));
		if (!is_put)
			return Change::no_room;
		set_texts(texts_after);
		return Change::done;
	}

	MutableBytes image_;
	WorkingHead head_;
};

}  // namespace bloomsketch::topk
