// The result: the most frequent values, and which of them are certain.
//
// Which values are rows is decided by what is plausible: the certain count and of the
// error no more than twice the square root of that, its standard deviations were the
// rows in random order. Such errors are missed occurrences; larger ones are minima of
// times or parts where the value hardly came. By the bare count values that came seldom,
// but late or in a part with a large minimum, would displace up to five of the hundred
// most frequent values of the reference workload (docs/ACCURACY.md).
#pragma once

#include <cmath>

#include "common/scratch.hpp"
#include "topk/topk.hpp"

namespace bloomsketch::topk {

// Rows: the larger counts first, of equal ones the smaller hash.
class Ranking {
public:
	Ranking() = default;
	Ranking(std::span<const Counter> rows, std::uint64_t largest_outside)
		: rows_(rows), largest_outside_(largest_outside)
	{
	}

	std::span<const Counter> rows() const { return rows_; }

	// Whether no value outside these rows can have come more often than this one.
	bool is_guaranteed(const Counter &row) const { return row.count - row.error >= largest_outside_; }

private:
	std::span<const Counter> rows_;
	std::uint64_t largest_outside_ = 0;  // count of a value that is no row
};

// How often a value plausibly came, between its certain count and its count.
inline std::uint64_t plausible_count(const Counter &counter)
{
	const std::uint64_t certain = counter.count - counter.error;
	return certain + std::min(counter.error, static_cast<std::uint64_t>(2 * std::sqrt(static_cast<double>(certain))));
}

// At most `limit` rows; up to k the first ones of k. Their texts are those in the
// sketch's image; the rows are in what was allocated.
template <class Allocate>
Malformed rank(const Sketch &sketch, std::size_t limit, Ranking &ranking, Allocate allocate)
{
	std::size_t used = 0;
	const std::span<Counter> counters = allocate_array<Counter>(sketch.used(), allocate);
	if (const Malformed reason = sketch.each_counter([&](const Counter &counter) { counters[used++] = counter; });
	    reason != Malformed::no)
		return reason;
	const auto row_at = [&](std::size_t i) { return counters.begin() + static_cast<std::ptrdiff_t>(std::min(i, used)); };
	const auto chosen = row_at(std::max(limit, std::size_t{sketch.k()}));
	const auto rows = row_at(limit);
	const auto is_more_plausible = [](const Counter &a, const Counter &b) {
		return is_ahead({plausible_count(a), a.hash}, {plausible_count(b), b.hash});
	};
	const auto is_row_ahead = [](const Counter &a, const Counter &b) { return is_ahead(sort_key_of(a), sort_key_of(b)); };
	std::nth_element(counters.begin(), chosen, counters.end(), is_more_plausible);
	std::sort(counters.begin(), chosen, is_row_ahead);
	std::uint64_t outside = sketch.minimum();
	std::for_each(rows, counters.end(), [&](const Counter &counter) { outside = std::max(outside, counter.count); });
	ranking = {counters.first(std::min(limit, used)), outside};
	return Malformed::no;
}

}  // namespace bloomsketch::topk
