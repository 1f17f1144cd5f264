// Building a Top-K sketch that outgrows its image, and putting it to rest. Memory is the
// caller's: `allocate(size)` gives a writable image of so many bytes, also for what is
// needed on the way only; what was outgrown is left to whoever allocated it.
#pragma once

#include "common/scratch.hpp"
#include "topk/rest.hpp"
#include "topk/state.hpp"

namespace bloomsketch::topk {

// What an image has room for at least: that many counters with texts of this length are
// about what the smallest allocation holds.
inline constexpr std::uint32_t first_counters = 3;
inline constexpr std::size_t first_length = 12;

// An empty state, for parameters that are valid.
template <class Allocate>
State create(const Parameters &parameters, Allocate allocate)
{
	const Layout layout = Layout::holding(parameters, first_counters, first_counters * TextArena::record_size(first_length));
	return State::create(allocate(layout.size), layout);
}

namespace detail {

// Puts what the state holds into a larger image, with room for another text of this
// length.
template <class Allocate>
void grow(State &state, std::size_t length, Allocate allocate)
{
	const Layout layout = state.larger(length);
	State larger = State::create(allocate(layout.size), layout);
	for (std::uint32_t number = 0; number < state.used(); ++number)
		larger.append(state.counter(number));
	larger.set_total(state.total());
	larger.set_kind(state.kind());
	state = larger;
}

}  // namespace detail

// Adds a value that find() does not find, with a weight above 0, of the kind that the
// state has, if it has one: done, total_out_of_range, text_too_long or texts_too_large.
template <class Allocate>
Change insert(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Bytes text, Allocate allocate)
{
	Change change;
	while ((change = state.insert(hash, weight, text)) == Change::no_room)
		detail::grow(state, text.size(), allocate);
	if (change == Change::done)
		state.set_kind(kind);
	return change;
}

// Lets a counter have the smaller one of its text and this one: done, text_too_long or
// texts_too_large. Its number stays the same.
template <class Allocate>
Change replace_text(State &state, std::uint32_t number, Bytes text, Allocate allocate)
{
	Change change;
	while ((change = state.replace_text(number, text)) == Change::no_room)
		detail::grow(state, text.size(), allocate);
	return change;
}

// Adds a value for which find() gave `number`, with a weight above 0: done or, unchanged,
// as insert().
template <class Allocate>
Change add_found(State &state, std::uint32_t number, ValueKind kind, Hash64 hash, std::uint64_t weight, Bytes text,
                 Allocate allocate)
{
	if (number == State::none)
		return insert(state, kind, hash, weight, text, allocate);
	if (!state.takes(weight))
		return Change::total_out_of_range;
	if (const Change change = replace_text(state, number, text, allocate); change != Change::done)
		return change;
	return state.add_to(number, weight);
}

// The same for any value and weight; one of 0 changes nothing.
template <class Allocate>
Change add(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Bytes text, Allocate allocate)
{
	return weight == 0 ? Change::done : add_found(state, state.find(hash), kind, hash, weight, text, allocate);
}

// Makes `state` a working copy of a sketch that has parameters: done or damaged.
template <class Allocate>
Change copy(const Sketch &sketch, State &state, Allocate allocate)
{
	std::size_t records = 0, longest = 0;
	const Malformed reason = sketch.each_counter([&](const Counter &counter) {
		records += TextArena::record_size(counter.text.size());
		longest = std::max(longest, counter.text.size());
	});
	if (reason != Malformed::no || longest > longest_text)
		return Change::damaged;
	const Layout layout = Layout::holding(sketch.parameters(), std::max(sketch.used(), first_counters), records);
	state = State::create(allocate(layout.size), layout);
	Change change = Change::done;
	sketch.each_counter([&](const Counter &counter) {
		if (change == Change::done)
			change = state.append(counter);
	});
	state.set_total(sketch.total());
	state.set_kind(sketch.kind());
	return change == Change::done ? Change::done : Change::damaged;
}

// The image at rest of a state.
template <class Allocate>
MutableBytes store(const State &state, Allocate allocate)
{
	struct Reference {
		Hash64 hash;
		std::uint32_t number;
	};
	const std::span<Reference> references = allocate_array<Reference>(state.used(), allocate);
	for (std::uint32_t number = 0; number < state.used(); ++number)
		references[number] = {state.counter(number).hash, number};
	std::sort(references.begin(), references.end(), [](const Reference &a, const Reference &b) { return a.hash < b.hash; });
	const auto each = [&](auto use) {
		for (const Reference &reference : references)
			use(state.counter(reference.number));
	};
	return write_rest({state.parameters(), state.kind(), state.total(), state.used()}, each, allocate);
}

// Whether an image is that of a state.
inline bool is_working(Bytes image)
{
	WorkingHead head;
	return head.read(image);
}

// An image that may be that of a state: at rest, or as it is where it is none, or a
// damaged one.
template <class Allocate>
Bytes at_rest(Bytes image, Allocate allocate)
{
	State state;  // only read
	if (!State::open({const_cast<std::uint8_t *>(image.data()), image.size()}, state) || !state.is_sound())
		return image;
	return store(state, allocate);
}

}  // namespace bloomsketch::topk
