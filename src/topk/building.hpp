// Building a Top-K sketch that outgrows its image, putting it to rest, and taking in
// bytes from outside. Memory is the caller's: `allocate(size)` gives a writable image
// of so many bytes, also for what is needed on the way only; what was outgrown is left
// to whoever allocated it.
#pragma once

#include "common/scratch.hpp"
#include "topk/state.hpp"
#include "topk/unite.hpp"

namespace bloomsketch::topk {

// An empty state, for parameters that are valid.
template <class Allocate>
State create(const Parameters &parameters, Allocate allocate)
{
	// Three short values.
	const Layout layout = Layout::holding(parameters, 3, 3 * TextArena::record_size(12));
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

// Adds a value that find() does not find, with a weight of at most 2^63 - 1, of the
// kind that the state has, if it has one. A weight of 0 changes nothing. done,
// too_large, too_long or too_much.
template <class Allocate>
Change insert(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Bytes text, Allocate allocate)
{
	Change change;
	while ((change = state.insert(hash, weight, text)) == Change::no_room)
		detail::grow(state, text.size(), allocate);
	if (change == Change::done && weight != 0)
		state.set_kind(kind);
	return change;
}

// Lets a counter have the smaller one of its text and this one: done, too_long or
// too_much. Its number stays the same.
template <class Allocate>
Change replace_text(State &state, std::uint32_t number, Bytes text, Allocate allocate)
{
	Change change;
	while ((change = state.replace_text(number, text)) == Change::no_room)
		detail::grow(state, text.size(), allocate);
	return change;
}

// The same for a value that may have a counter or not.
template <class Allocate>
Change add(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Bytes text, Allocate allocate)
{
	const std::uint32_t number = state.find(hash);
	if (number == State::none)
		return insert(state, kind, hash, weight, text, allocate);
	if (weight > max_total - state.total())
		return Change::too_large;
	if (weight == 0)
		return Change::done;
	if (const Change change = replace_text(state, number, text, allocate); change != Change::done)
		return change;
	return state.add_to(number, weight);
}

// Makes `state` a working copy of a sketch that has parameters: done or damaged.
template <class Allocate>
Change copy(const Sketch &sketch, State &state, Allocate allocate)
{
	std::size_t records = 0;
	const Malformed reason =
		sketch.each_counter([&](const Counter &counter) { records += TextArena::record_size(counter.text.size()); });
	if (reason != Malformed::no)
		return Change::damaged;
	const Layout layout = Layout::holding(sketch.parameters(), std::max(sketch.used(), 3u), records);
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
	const RestHead head{state.parameters(), state.kind(), state.total(), state.used()};
	std::size_t size = head.size();
	for (std::uint32_t number = 0; number < state.used(); ++number) {
		const Counter counter = state.counter(number);
		references[number] = {counter.hash, number};
		size += size_of(counter);
	}
	std::sort(references.begin(), references.end(), [](const Reference &a, const Reference &b) { return a.hash < b.hash; });
	const MutableBytes image = allocate(size);
	std::uint8_t *to = head.write(image.data());
	for (const Reference &reference : references)
		to = write(state.counter(reference.number), to);
	return image;
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

// Checks bytes from outside, whole, and copies them: working images are refused.
// Nothing is allocated before the check is done.
template <class Allocate>
Malformed accept(Bytes bytes, MutableBytes &stored, Allocate allocate)
{
	Sketch sketch;
	Malformed reason = Sketch::open(bytes, sketch);
	if (reason == Malformed::no)
		reason = sketch.check();
	if (reason != Malformed::no)
		return reason;
	stored = allocate(bytes.size());
	std::copy(bytes.begin(), bytes.end(), stored.begin());
	return Malformed::no;
}

}  // namespace bloomsketch::topk
