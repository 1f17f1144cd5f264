// The inner product of two Count-Min sketches (Cormode and Muthukrishnan 2005,
// section 4.2): the sum over all values of the product of their weights, which is
// the size of the equi-join of what they were built over. Each row's sum of
// products of counters is above it or equal, never under; the least of them is the
// estimate, above the truth by more than epsilon * N * M with a chance of at most
// delta.
#pragma once

#include <optional>

#include "cms/cms.hpp"

namespace bloomsketch::cms {

namespace detail {

// Gives single counters of a sketch, asked for in ascending order.
class CounterCursor {
public:
	explicit CounterCursor(const Sketch &sketch)
		: sketch_(sketch), sparse_(sketch.is_sparse() ? sketch.sparse() : SparseReader({}, 0, sketch.geometry()))
	{
		has_next_ = sparse_.next(next_);
	}

	std::uint64_t at(std::uint32_t position)
	{
		switch (sketch_.form()) {
		case Form::sparse: return sparse_at(position);
		case Form::packed: return packed_at(position);
		default: return sketch_.dense_counter(position);
		}
	}

private:
	std::uint64_t sparse_at(std::uint32_t position)
	{
		while (has_next_ && next_.position < position)
			has_next_ = sparse_.next(next_);
		return has_next_ && next_.position == position ? next_.value : 0;
	}

	std::uint64_t packed_at(std::uint32_t position)
	{
		if (position / block_counters != block_at_) {
			block_at_ = position / block_counters;
			sketch_.packed().read_block(block_at_, block_);
		}
		return block_[position % block_counters];
	}

	Sketch sketch_;
	SparseReader sparse_;
	Counter next_{};
	bool has_next_;
	Block block_{};
	std::uint32_t block_at_ = UINT32_MAX;
};

}  // namespace detail

// None where it is beyond 2^63 - 1. Both have equal geometry and are no lists.
inline std::optional<std::int64_t> inner_product(const Sketch &a, const Sketch &b)
{
	if (a.is_empty() || b.is_empty())
		return 0;
	const Sketch &outer = b.is_sparse() ? b : a, &inner = b.is_sparse() ? a : b;
	detail::CounterCursor cursor(inner);
	// A row's sum of products is at most N * M < 2^126.
	unsigned __int128 least = ~static_cast<unsigned __int128>(0), sum = 0;
	std::uint32_t row = 0, row_end = outer.width();
	outer.each_counter([&](Counter counter) {
		for (; counter.position >= row_end; row_end += outer.width(), ++row, sum = 0)
			least = sum < least ? sum : least;
		sum += static_cast<unsigned __int128>(counter.value) * cursor.at(counter.position);
	});
	// A sketch that is not empty has counters in every row, so this is the last one's.
	least = sum < least ? sum : least;
	if (least > max_total)
		return std::nullopt;
	return static_cast<std::int64_t>(least);
}

}  // namespace bloomsketch::cms
