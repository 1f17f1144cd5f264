// Building a Count-Min sketch that outgrows its image, and taking in bytes from
// outside. Memory is the caller's: `allocate(size)` gives a writable image of
// so many bytes, and what was outgrown is left to whoever allocated it.
//
// A state is a list while it holds few values that were added one by one, sparse at
// rest while it is a union of sketches at rest that has few counters, dense beyond
// either. Where parameters are given, their geometry must fit().
#pragma once

#include <optional>

#include "cms/state.hpp"
#include "cms/store.hpp"

namespace bloomsketch::cms {

namespace detail {

template <class Allocate>
State create(Layout layout, const Parameters &parameters, Geometry geometry, ValueKind kind, Allocate allocate)
{
	return State::create(allocate(layout.size), layout.form, parameters, geometry, kind);
}

// Puts what the state holds into a larger layout.
template <class Allocate>
Change move_to(State &state, Layout layout, Allocate allocate)
{
	State larger = create(layout, state.parameters(), state.geometry(), state.kind(), allocate);
	const Change change = larger.merge(state.read());
	state = larger;
	return change;
}

// Two ascending sequences of counters added up into `sums`; how many there are.
inline std::size_t add_up(std::span<const Counter> a, std::span<const Counter> b, std::span<Counter> sums)
{
	std::size_t count = 0, i = 0, j = 0;
	while (i < a.size() || j < b.size()) {
		const bool takes_a = j == b.size() || (i < a.size() && a[i].position <= b[j].position);
		const bool takes_b = i == a.size() || (j < b.size() && b[j].position <= a[i].position);
		sums[count] = takes_a ? a[i++] : b[j++];
		if (takes_a && takes_b)
			sums[count].value += b[j++].value;
		++count;
	}
	return count;
}

// An ascending sequence of counters less another one, in `rest`; how many are left.
// None where the other one has more.
inline std::optional<std::size_t> take_away(std::span<const Counter> from, std::span<const Counter> less, std::span<Counter> rest)
{
	std::size_t count = 0, taken = 0;
	for (Counter counter : from) {
		if (taken < less.size() && less[taken].position == counter.position) {
			if (less[taken].value > counter.value)
				return {};
			counter.value -= less[taken++].value;
		}
		if (counter.value != 0)
			rest[count++] = counter;
	}
	return taken == less.size() ? std::optional(count) : std::nullopt;
}

// A union of more counters is made dense: each step writes a sparse one anew, which
// from there on takes longer than adding to 54 kB of dense counters.
inline constexpr std::size_t sparse_union_limit = 4096;

// Makes the state a sparse sketch at rest that holds `more` besides. no_room, and
// unchanged, where that is more than `limit` counters.
template <class Allocate>
Change unite_sparse(State &state, std::span<const Counter> more, std::size_t limit, ValueKind kind, std::uint64_t total,
                    Allocate allocate)
{
	const Sketch held = state.read();
	std::span<const Counter> counters;
	if (collect_counters(held, held.sparse_count(), allocate, counters) != Malformed::no)
		return Change::damaged;
	const std::span<Counter> sums = allocate_array<Counter>(counters.size() + more.size(), allocate);
	const std::size_t count = add_up(counters, more, sums);
	if (count > std::min<std::size_t>(limit, sparse_limit(state.geometry())))
		return Change::no_room;
	State::open(store_sparse({state.parameters(), kind, total}, state.geometry(), sums.first(count), allocate), state);
	return Change::done;
}

// Adds to a sparse state.
template <class Allocate>
Change add_sparse(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Allocate allocate)
{
	const std::span<Counter> counters = allocate_array<Counter>(state.geometry().depth, allocate);
	std::size_t count = 0;
	each_position(hash, state.geometry(), [&](std::uint32_t position) { counters[count++] = {position, weight}; });
	return unite_sparse(state, counters, SIZE_MAX, kind, state.total() + weight, allocate);
}

// Merges a sketch into a state where both are lists or sparse, but not both lists.
template <class Allocate>
Change merge_sparse(State &state, const Sketch &sketch, Allocate allocate)
{
	if (state.is_dense() || !(sketch.is_list() || sketch.is_sparse()) ||
	    (state.form() == Form::list && sketch.is_list()))
		return Change::no_room;
	std::span<const Counter> counters;
	if (collect_counters(sketch, sketch.sparse_count(), allocate, counters) != Malformed::no)
		return Change::damaged;
	const ValueKind kind = state.kind().is_none() ? sketch.kind() : state.kind();
	return unite_sparse(state, counters, sparse_union_limit, kind, state.total() + sketch.total(), allocate);
}

}  // namespace detail

// An empty state.
template <class Allocate>
State create(const Parameters &parameters, Allocate allocate)
{
	const Geometry geometry = geometry_for(parameters);
	return detail::create(State::layout_for(geometry, parameters.seed, 0, 1), parameters, geometry, {}, allocate);
}

// Adds a weight, at most 2^63 - 1, to a value of the kind that the state has, if it
// has one. A weight of 0 changes nothing, nor does too_large.
template <class Allocate>
Change add(State &state, ValueKind kind, Hash64 hash, std::uint64_t weight, Allocate allocate)
{
	Change change;
	while ((change = state.add(hash, weight)) == Change::no_room) {
		const std::uint64_t total = state.total() + weight;
		if (weight == 0)
			return Change::done;
		if (total > max_total)
			return Change::too_large;
		if (state.is_sparse())
			if (change = detail::add_sparse(state, kind, hash, weight, allocate); change != Change::no_room)
				return change;
		const std::int64_t seed = state.parameters().seed;
		const Layout layout = state.form() == Form::list
		                          ? State::layout_for(state.geometry(), seed, total, state.room() + 1)
		                          : State::dense_layout(state.geometry(), seed, total);
		if (detail::move_to(state, layout, allocate) != Change::done)
			return Change::damaged;
	}
	if (change == Change::done && weight != 0)
		state.set_kind(kind);
	return change;
}

// Adds what `sketch` holds, in any form, which must agree in everything: compare().
template <class Allocate>
Change merge(State &state, const Sketch &sketch, Allocate allocate)
{
	Change change;
	while ((change = state.merge(sketch)) == Change::no_room) {
		if (change = detail::merge_sparse(state, sketch, allocate); change != Change::no_room)
			return change;
		const std::uint64_t total = state.total() + sketch.total();
		const bool lists = state.form() == Form::list && sketch.is_list();
		const Layout layout = lists ? State::layout_for(state.geometry(), sketch.seed(), total, state.entries_with(sketch))
		                            : State::dense_layout(state.geometry(), sketch.seed(), total);
		if (detail::move_to(state, layout, allocate) != Change::done)
			return Change::damaged;
	}
	if (change == Change::done && state.kind().is_none())
		state.set_kind(sketch.kind());
	return change;
}

// Takes away what `sketch` holds, in any form, from a dense or sparse state of equal
// parameters into which it was merged before: gives the counters of never having
// merged it. False, and unchanged, where a counter would go below 0.
template <class Allocate>
bool subtract(State &state, const Sketch &sketch, Allocate allocate)
{
	if (!state.is_sparse())
		return state.subtract(sketch);
	const Sketch held = state.read();
	if (sketch.total() > held.total() || !(sketch.is_list() || sketch.is_sparse()))
		return false;
	std::span<const Counter> from, less;
	if (collect_counters(held, held.sparse_count(), allocate, from) != Malformed::no ||
	    collect_counters(sketch, sketch.sparse_count(), allocate, less) != Malformed::no)
		return false;
	const std::span<Counter> rest = allocate_array<Counter>(from.size(), allocate);
	const std::optional<std::size_t> count = detail::take_away(from, less, rest);
	if (!count)
		return false;
	const std::uint64_t total = held.total() - sketch.total();
	const detail::RestHead head{state.parameters(), total == 0 ? ValueKind() : state.kind(), total};
	State::open(detail::store_sparse(head, state.geometry(), rest.first(*count), allocate), state);
	return true;
}

// Makes a state dense, so that one that was a list can be subtracted from.
template <class Allocate>
Change make_dense(State &state, Allocate allocate)
{
	if (state.is_dense())
		return Change::done;
	return detail::move_to(state, State::dense_layout(state.geometry(), state.parameters().seed, state.total()), allocate);
}

// Makes `state` a copy of a sketch that has parameters.
template <class Allocate>
Change copy(const Sketch &sketch, State &state, Allocate allocate)
{
	if (sketch.form() != Form::packed) {
		const MutableBytes image = allocate(sketch.size());
		std::copy(sketch.image().begin(), sketch.image().end(), image.begin());
		State::open(image, state);
		return Change::done;
	}
	state = detail::create(State::dense_layout(sketch.geometry(), sketch.seed(), sketch.total()), sketch.parameters(),
	                       sketch.geometry(), sketch.kind(), allocate);
	return state.merge(sketch);
}

// Checks bytes from outside, whole, and makes the canonical image of what they
// hold. Nothing is allocated before the check is done.
template <class Allocate>
Malformed accept(Bytes bytes, MutableBytes &stored, Allocate allocate)
{
	Sketch sketch;
	Malformed reason = Sketch::open(bytes, sketch);
	if (reason == Malformed::no)
		reason = sketch.check();
	if (reason == Malformed::no)
		stored = store(sketch, allocate);
	return reason;
}

}  // namespace bloomsketch::cms
