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
	}

	std::uint64_t at(std::uint32_t position)
	{
		switch (sketch_.form()) {
		case Form::sparse: return sparse_.at(position);
		case Form::packed: return packed_at(position);
		default: return sketch_.dense_counter(position);
		}
	}

	// What was wrong with it, as far as it was read; reads the rest of a sparse one.
	Malformed finish() { return sketch_.is_sparse() ? sparse_.finish() : reason_; }

private:
	std::uint64_t packed_at(std::uint32_t position)
	{
		if (position / block_counters != block_at_) {
			block_at_ = position / block_counters;
			if (!sketch_.packed().read_block(block_at_, block_))
				reason_ = Malformed::bad_entry;
		}
		return block_[position % block_counters];
	}

	Sketch sketch_;
	SparseCursor sparse_;
	Block block_{};
	std::uint32_t block_at_ = UINT32_MAX;
	Malformed reason_ = Malformed::no;
};

}  // namespace detail

// `product` is none where it is beyond 2^63 - 1. Both have equal geometry and are no
// lists.
inline Malformed inner_product(const Sketch &a, const Sketch &b, std::optional<std::int64_t> &product)
{
	product = 0;
	if (a.is_empty() || b.is_empty())
		return Malformed::no;
	const Sketch &outer = b.is_sparse() ? b : a, &inner = b.is_sparse() ? a : b;
	detail::CounterCursor cursor(inner);
	// A row's sum of products is at most N * M < 2^126.
	unsigned __int128 least = ~static_cast<unsigned __int128>(0), sum = 0;
	std::uint32_t row_end = outer.width();
	const Malformed reason = outer.each_counter([&](Counter counter) {
		for (; counter.position >= row_end; row_end += outer.width(), sum = 0)
			least = sum < least ? sum : least;
		sum += static_cast<unsigned __int128>(counter.value) * cursor.at(counter.position);
	});
	// A sketch that is not empty has counters in every row, so this is the last one's.
	least = sum < least ? sum : least;
	product = least > max_total ? std::nullopt : std::optional(static_cast<std::int64_t>(least));
	return reason != Malformed::no ? reason : cursor.finish();
}

}  // namespace bloomsketch::cms
