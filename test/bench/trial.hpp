// One HyperLogLog that sees 1, 2, 3, ... distinct values, up to any number.
//
// While small it is the real thing: values are hashed and added, each trial with
// a seed of its own. Once dense and full enough it goes on as what decides the
// estimate, its histogram of ranks, and exactly so: a new value goes to a register
// of rank k with chance C_k / m, and raises it with chance 2^-k. So the number of
// values until any register rises is geometric with chance W / m, where W is the
// sum of C_k 2^-k; the register that rises has rank k with chance C_k 2^-k / W;
// and its new rank is k + 1, k + 2, ... with chances 1/2, 1/4, ..., the rest at the
// highest rank. Nothing is approximated, and a billion values cost some 20 steps
// a register.
#pragma once

#include <cmath>

#include "../unit/hll_building.hpp"
#include "../unit/random.hpp"

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
		while (!is_simulated() && seen_ < n)
			add_value();
		while (is_simulated() && next_change_ <= n)
			change();
	}

	double estimate() const
	{
		return is_simulated() ? hll::estimate_registers(histogram_, precision_) : building_.sketch().estimate();
	}
	bool is_sparse() const { return !is_simulated() && building_.sketch().is_sparse(); }
	hll::Histogram histogram() const { return is_simulated() ? histogram_ : building_.sketch().histogram(); }

private:
	// Real up to twice the number of values at which it turns dense.
	bool is_simulated() const { return weight_ > 0; }

	void add_value()
	{
		building_.add(hash_word(static_cast<std::uint64_t>(seen_), building_.sketch().seed()));
		++seen_;
		if (seen_ < 2 * hll::entry_limit(precision_) || building_.sketch().is_sparse())
			return;
		histogram_ = building_.sketch().histogram();
		next_change_ = seen_;
		for (int rank = 0; rank < hll::max_rank(precision_); ++rank)
			weight_ += weight_of(rank);
		draw_next_change();
	}

	double weight_of(int rank) const { return std::ldexp(histogram_[static_cast<std::size_t>(rank)], -rank); }

	void draw_next_change()
	{
		const double chance = weight_ / hll::register_count(precision_);
		next_change_ += std::max(1.0, std::ceil(std::log(random_.unit()) / std::log1p(-chance)));
	}

	void change()
	{
		const int highest = hll::max_rank(precision_);
		while (histogram_[static_cast<std::size_t>(lowest_)] == 0)
			++lowest_;
		int rank = lowest_;
		for (double at = random_.unit() * weight_; rank < highest - 1 && at >= weight_of(rank); ++rank)
			at -= weight_of(rank);
		if (histogram_[static_cast<std::size_t>(rank)] != 0) {  // else rounding led beyond the last
			const int raised = std::min(rank + 1 + std::countl_zero(random_.next() | 1), highest);
			--histogram_[static_cast<std::size_t>(rank)];
			++histogram_[static_cast<std::size_t>(raised)];
			weight_ += (raised < highest ? std::ldexp(1, -raised) : 0) - std::ldexp(1, -rank);
		}
		draw_next_change();
	}

	int precision_;
	HllBuilding building_;
	double seen_ = 0;
	Random random_;
	hll::Histogram histogram_{};
	double weight_ = 0;  // W; 0 while real
	double next_change_ = 0;
	int lowest_ = 0;
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
