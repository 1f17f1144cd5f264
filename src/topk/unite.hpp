// The union of two sketches at rest, at rest again: two ascending streams merged once,
// with 40 bytes of scratch for each counter of either, and 16 more where not all stay.
#pragma once

#include "common/scratch.hpp"
#include "topk/change.hpp"
#include "topk/rest.hpp"

namespace bloomsketch::topk {

namespace detail {

// What both sketches say of one value.
inline Counter sum_of(const Counter &a, const Counter &b, Hash64 hash, Bytes text)
{
	return {hash, a.count + b.count, a.error + b.error, text};
}

// Everything that is in either of two sketches, as it counts in both, by ascending
// hash; how much that is. `all` has room for the counters of both. Where a sketch has no
// counter for a value it counts as one with its minimum in both.
inline Malformed merge(const Sketch &a, const Sketch &b, std::span<Counter> all, std::size_t &count)
{
	const std::uint64_t minimum_of_a = a.minimum(), minimum_of_b = b.minimum();
	const Counter none_in_a{0, minimum_of_a, minimum_of_a, {}}, none_in_b{0, minimum_of_b, minimum_of_b, {}};
	Counter in_a, in_b;
	CounterReader from_a = a.counters(), from_b = b.counters();
	bool has_a = from_a.next(in_a), has_b = from_b.next(in_b);
	count = 0;
	while (has_a || has_b) {
		const bool takes_a = has_a && (!has_b || in_a.hash <= in_b.hash);
		const bool takes_b = has_b && (!has_a || in_b.hash <= in_a.hash);
		if (!takes_b)
			all[count++] = sum_of(in_a, none_in_b, in_a.hash, in_a.text);
		else if (!takes_a)
			all[count++] = sum_of(none_in_a, in_b, in_b.hash, in_b.text);
		else
			all[count++] = sum_of(in_a, in_b, in_a.hash, is_smaller_text(in_b.text, in_a.text) ? in_b.text : in_a.text);
		if (takes_a)
			has_a = from_a.next(in_a);
		if (takes_b)
			has_b = from_b.next(in_b);
	}
	return from_a.reason() != Malformed::no ? from_a.reason() : from_b.reason();
}

// The first `most` in the order of results, of more counters than these, still by
// ascending hash.
template <class Allocate>
std::span<Counter> keep_first(std::span<Counter> counters, std::uint32_t most, Allocate allocate)
{
	const std::span<SortKey> keys = allocate_array<SortKey>(counters.size(), allocate);
	std::transform(counters.begin(), counters.end(), keys.begin(), sort_key_of);
	const auto last = keys.begin() + (most - 1);
	std::nth_element(keys.begin(), last, keys.end(), is_ahead);
	const auto end = std::remove_if(counters.begin(), counters.end(),
	                                [&](const Counter &counter) { return is_ahead(*last, sort_key_of(counter)); });
	return counters.first(static_cast<std::size_t>(end - counters.begin()));
}

}  // namespace detail

// The union of sketches that have parameters, and that compare() finds nothing
// against. done, or total_out_of_range, texts_too_large or damaged.
template <class Allocate>
Change unite(const Sketch &a, const Sketch &b, MutableBytes &united, Allocate allocate)
{
	if (a.total() > max_total - b.total())
		return Change::total_out_of_range;
	std::size_t count;
	std::span<Counter> counters = allocate_array<Counter>(a.used() + b.used(), allocate);
	if (detail::merge(a, b, counters, count) != Malformed::no)
		return Change::damaged;
	counters = counters.first(count);
	if (count > a.capacity())
		counters = detail::keep_first(counters, a.capacity(), allocate);
	const RestHead head{a.parameters(), a.kind().is_none() ? b.kind() : a.kind(), a.total() + b.total(),
	                    static_cast<std::uint32_t>(counters.size())};
	std::size_t texts = 0;
	for (const Counter &counter : counters)
		texts += counter.text.size();
	if (texts > most_text)
		return Change::texts_too_large;
	const auto each = [&](auto use) { std::for_each(counters.begin(), counters.end(), use); };
	united = write_rest(head, each, allocate);
	return Change::done;
}

}  // namespace bloomsketch::topk
