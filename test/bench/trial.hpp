// One HyperLogLog that sees 1, 2, 3, ... distinct values, up to any number.
//
// While small it is the real thing: values are hashed and added, each trial with
// a seed of its own. Once dense and full enough it goes on as what decides the
// estimate, its histogram of ranks, and exactly so (rising.hpp).
#pragma once

#include <optional>

#include "../unit/hll_building.hpp"
#include "rising.hpp"

namespace bloomsketch::test {

class Trial {
public:
	Trial(int precision, std::int64_t seed)
		: precision_(precision), building_({precision, seed}), random_(static_cast<std::uint64_t>(seed * 64 + precision))
	{
	}

	// Goes on until it has seen n values; n never falls.
	void advance_to(double n)
	{
		while (!rising_ && seen_ < n)
			add_value();
		if (rising_)
			rising_->advance_to(n);
	}

	double estimate() const
	{
		return rising_ ? hll::estimate_registers(rising_->histogram(), precision_) : building_.sketch().estimate();
	}
	bool is_sparse() const { return !rising_ && building_.sketch().is_sparse(); }
	hll::Histogram histogram() const { return rising_ ? rising_->histogram() : building_.sketch().histogram(); }

private:
	// Real up to twice the number of values at which it turns dense.
	void add_value()
	{
		building_.add(hash_word(static_cast<std::uint64_t>(seen_), building_.sketch().seed()));
		++seen_;
		if (seen_ >= 2 * hll::entry_limit(precision_) && !building_.sketch().is_sparse())
			rising_.emplace(building_.sketch().histogram(), precision_, seen_, random_);
	}

	int precision_;
	HllBuilding building_;
	double seen_ = 0;
	Random random_;
	std::optional<Rising> rising_;
};

// A control variate: a sum over a dense sketch's registers whose expectation is
// known exactly, and that moves with the estimate. The estimate is A / z with z a
// sum over registers, so near z's mean it is linear in
//
//   X = sigma'(E C_0 / m) C_0 + sum over k = 1 .. 64 - p of C_k 2^-k,
//
// and E X is exact, as a register's rank after n values is at most k with chance
// (1 - 2^-k / m)^n. Adding slope * (X - E X), which is 0 on the average, to the
// estimate leaves its mean alone and takes most of its noise away: what is left is
// of second order, about 1 / m instead of 1 / sqrt(m).
class Control {
public:
	Control(int precision, double n) : top_(64 - precision)
	{
		const double m = hll::register_count(precision);
		const double zeros = std::exp(n * std::log1p(-1 / m));
		const double step = 1e-4 * std::min(zeros, 1 - zeros) + 1e-300;
		zero_weight_ = (hll::detail::sigma(zeros + step) - hll::detail::sigma(zeros - step)) / (2 * step);
		double z = m * hll::detail::sigma(zeros);
		expected_ = zero_weight_ * m * zeros;
		double at_most = zeros;
		for (int rank = 1; rank <= top_; ++rank) {
			const double below = at_most;
			at_most = std::exp(n * std::log1p(-std::exp2(-rank) / m));
			z += m * (at_most - below) * std::exp2(-rank);
			expected_ += m * (at_most - below) * std::exp2(-rank);
		}
		slope_ = m * m / (2 * std::numbers::ln2) / (z * z);
	}

	// What to add to the estimate from this histogram.
	double correction(const hll::Histogram &histogram) const
	{
		double x = zero_weight_ * histogram[0];
		for (int rank = 1; rank <= top_; ++rank)
			x += std::ldexp(histogram[static_cast<std::size_t>(rank)], -rank);
		return slope_ * (x - expected_);
	}

private:
	int top_;
	double zero_weight_;
	double expected_;
	double slope_;
};

// Sums over trials of a relative error.
struct Errors {
	double count = 0, sum = 0, squares = 0;

	void add(double error)
	{
		++count;
		sum += error;
		squares += error * error;
	}
	void add(const Errors &other)
	{
		count += other.count;
		sum += other.sum;
		squares += other.squares;
	}
	double mean() const { return sum / count; }
	double root_mean_square() const { return std::sqrt(squares / count); }

	// The standard error of mean().
	double noise() const { return std::sqrt(std::max(0.0, squares / count - mean() * mean()) / count); }
};

}  // namespace bloomsketch::test
