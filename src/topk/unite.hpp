// The union of two sketches at rest, at rest again: two ascending streams merged once,
// with 40 bytes of scratch for each counter of either, and 16 more where not all stay.
#pragma once

#include "common/scratch.hpp"
#include "topk/state.hpp"

namespace bloomsketch::topk {

namespace detail {

// Everything that is in either of two sketches, as it counts in both, by ascending
// hash; how much that is. `all` has room for the counters of both.
inline Malformed merge(const Sketch &a, const Sketch &b, std::span<Counter> all, std::size_t &count)
{
	const std::uint64_t minimum_of_a = a.minimum(), minimum_of_b = b.minimum();
	Counter in_a, in_b;
	CounterReader from_a = a.counters(), from_b = b.counters();
	bool has_a = from_a.next(in_a), has_b = from_b.next(in_b);
	count = 0;
	while (has_a || has_b) {
		const bool takes_a = has_a && (!has_b || in_a.hash <= in_b.hash);
		const bool takes_b = has_b && (!has_a || in_b.hash <= in_a.hash);
		Counter &both = all[count++];
		both = takes_a ? in_a : in_b;
		both.count += takes_a && takes_b ? in_b.count : takes_a ? minimum_of_b : minimum_of_a;
		both.error += takes_a && takes_b ? in_b.error : takes_a ? minimum_of_b : minimum_of_a;
		if (takes_a && takes_b && is_smaller_text(in_b.text, in_a.text))
			both.text = in_b.text;
		has_a = takes_a ? from_a.next(in_a) : has_a;
		has_b = takes_b ? from_b.next(in_b) : has_b;
	}
	return from_a.reason() != Malformed::no ? from_a.reason() : from_b.reason();
}

// The first `most` in the order of results, of more counters than these, still by
// ascending hash.
template <class Allocate>
std::span<Counter> keep_first(std::span<Counter> counters, std::uint32_t most, Allocate allocate)
{
	const std::span<Rank> ranks = allocate_array<Rank>(counters.size(), allocate);
	std::transform(counters.begin(), counters.end(), ranks.begin(), rank_of);
	const auto last = ranks.begin() + (most - 1);
	std::nth_element(ranks.begin(), last, ranks.end(), is_ahead);
	const auto end = std::remove_if(counters.begin(), counters.end(),
	                                [&](const Counter &counter) { return is_ahead(*last, rank_of(counter)); });
	return counters.first(static_cast<std::size_t>(end - counters.begin()));
}

}  // namespace detail

// The union of sketches that have parameters, and that compare() finds nothing
// against. done, or too_large, too_much or damaged.
template <class Allocate>
Change unite(const Sketch &a, const Sketch &b, MutableBytes &united, Allocate allocate)
{
	if (a.total() > max_total - b.total())
		return Change::too_large;
	std::size_t count;
	std::span<Counter> counters = allocate_array<Counter>(a.used() + b.used(), allocate);
	if (detail::merge(a, b, counters, count) != Malformed::no)
		return Change::damaged;
	counters = counters.first(count);
	if (count > a.capacity())
		counters = detail::keep_first(counters, a.capacity(), allocate);
	const RestHead head{a.parameters(), a.kind().is_none() ? b.kind() : a.kind(), a.total() + b.total(),
	                    static_cast<std::uint32_t>(counters.size())};
	std::size_t size = head.size(), text = 0;
	for (const Counter &counter : counters) {
		size += size_of(counter);
		text += counter.text.size();
	}
	if (text > most_text)
		return Change::too_much;
	united = allocate(size);
	std::uint8_t *to = head.write(united.data());
	for (const Counter &counter : counters)
		to = write(counter, to);
	return Change::done;
}

}  // namespace bloomsketch::topk
