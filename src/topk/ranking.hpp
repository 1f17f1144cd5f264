// The result: values in order of their counts, and which of them are certain.
#pragma once

#include "common/scratch.hpp"
#include "topk/topk.hpp"

namespace bloomsketch::topk {

// The first of a sketch's counters: the larger counts first, of equal ones the smaller
// hash.
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
	std::uint64_t largest_outside_ = 0;  // the next row's count, or else the minimum
};

// At most `limit` rows. Their texts are those in the sketch's image; the rows are in
// what was allocated.
template <class Allocate>
Malformed rank(const Sketch &sketch, std::size_t limit, Ranking &ranking, Allocate allocate)
{
	std::size_t count = 0;
	const std::span<Counter> counters = allocate_array<Counter>(sketch.used(), allocate);
	if (const Malformed reason = sketch.each_counter([&](const Counter &counter) { counters[count++] = counter; });
	    reason != Malformed::no)
		return reason;
	const auto is_row_ahead = [](const Counter &a, const Counter &b) { return is_ahead(rank_of(a), rank_of(b)); };
	if (limit >= count) {
		std::sort(counters.begin(), counters.end(), is_row_ahead);
		ranking = {counters, sketch.minimum()};
		return Malformed::no;
	}
	const auto next = counters.begin() + static_cast<std::ptrdiff_t>(limit);
	std::nth_element(counters.begin(), next, counters.end(), is_row_ahead);
	std::sort(counters.begin(), next, is_row_ahead);
	ranking = {counters.first(limit), next->count};
	return Malformed::no;
}

}  // namespace bloomsketch::topk
