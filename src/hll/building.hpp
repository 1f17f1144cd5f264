// Building a HyperLogLog that outgrows its image, and taking in bytes from
// outside. Memory is the caller's: `allocate(size)` gives a writable image of
// so many bytes, and what was outgrown is left to whoever allocated it.
#pragma once

#include "hll/state.hpp"

namespace bloomsketch::hll {

template <class Allocate>
State create(Layout layout, Parameters parameters, ValueKind kind, Allocate allocate)
{
	return State::create(allocate(layout.size), layout.form, parameters, kind);
}

template <class Allocate>
void grow(State &state, Allocate allocate)
{
	const Layout layout = state.next_layout();
	state = state.grow_into(allocate(layout.size), layout.form);
}

template <class Allocate>
void add(State &state, Hash64 hash, Allocate allocate)
{
	while (state.add(hash) == Change::no_room)
		grow(state, allocate);
}

// Takes over what `sketch` holds. Its entries may prove malformed on the way.
template <class Allocate>
Malformed merge(State &state, const Sketch &sketch, Allocate allocate)
{
	if (state.kind().is_none())
		state.set_kind(sketch.kind());
	Malformed reason = Malformed::no;
	while (state.merge(sketch, reason) == Change::no_room)
		grow(state, allocate);
	return reason;
}

// Makes `state` a working copy, at the sketch's precision or a lower one.
template <class Allocate>
Malformed copy(const Sketch &sketch, int precision, State &state, Allocate allocate)
{
	const Parameters parameters{precision, sketch.seed()};
	const std::uint32_t entries = sketch.is_sparse() ? sketch.entry_count() : register_count(precision);
	state = create(State::layout_for(parameters, entries), parameters, sketch.kind(), allocate);
	return merge(state, sketch, allocate);
}

// Checks bytes from outside, whole. Of a working form `state` is made a copy; a form at
// rest is canonical as it is.
template <class Allocate>
Malformed accept(Bytes bytes, State &state, Allocate allocate)
{
	Sketch sketch;
	Malformed reason = Sketch::open(bytes, sketch);
	if (reason == Malformed::no)
		reason = sketch.check();
	if (reason != Malformed::no || !sketch.is_working())
		return reason;
	reason = copy(sketch, sketch.precision(), state, allocate);
	// Two entries of a table may have shared an index.
	if (reason == Malformed::no && sketch.is_sparse() && state.read().entry_count() != sketch.entry_count())
		reason = Malformed::bad_entry;
	return reason;
}

}  // namespace bloomsketch::hll
