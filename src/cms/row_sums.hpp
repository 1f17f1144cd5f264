// Every value adds its weight to one counter of each row, so the counters of a row
// sum up to the total, and none is above it.
#pragma once

#include "cms/geometry.hpp"

namespace bloomsketch::cms {

// Whether each row's counters, which come in ascending order, sum up to the total.
class RowSums {
public:
	RowSums(Geometry geometry, std::uint64_t total) : geometry_(geometry), total_(total), row_end_(geometry.width) {}

	// False where a row has another sum, as far as can be told.
	bool add(std::uint32_t position, std::uint64_t value)
	{
		while (position >= row_end_)
			if (!finish_row())
				return false;
		if (value > total_ - sum_)
			return false;
		sum_ += value;
		return true;
	}

	// The same when the last counter was added.
	bool finish()
	{
		while (row_ < geometry_.depth)
			if (!finish_row())
				return false;
		return true;
	}

private:
	bool finish_row()
	{
		const bool is_total = sum_ == total_;
		sum_ = 0;
		row_end_ += geometry_.width;
		++row_;
		return is_total;
	}

	Geometry geometry_;
	std::uint64_t total_;
	std::uint64_t sum_ = 0;
	std::uint32_t row_end_;
	std::uint32_t row_ = 0;
};

}  // namespace bloomsketch::cms
