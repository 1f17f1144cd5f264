// The histogram of ranks of a dense HyperLogLog that sees one new value after the
// other, exactly: a value goes to a register of rank k with chance C_k / m, and
// raises it with chance 2^-k. So the number of values until any register rises is
// geometric with chance W / m, where W is the sum of C_k 2^-k; the register that
// rises has rank k with chance C_k 2^-k / W; and its new rank is k + 1, k + 2, ...
// with chances 1/2, 1/4, ..., the rest at the highest rank. A billion values cost
// some 20 steps a register.
//
// draw() starts one at n values at once: with a Poisson number of values instead,
// of a mean 6 sqrt(n) below n, registers are independent; how many values there
// were is drawn after them, and the missing ones are added. Only that number's
// distribution, given the registers, is taken as normal, which is harmless for
// many registers: some 100 us a sketch of any size.
#pragma once

#include <cmath>

#include "../unit/random.hpp"
#include "hll/estimate.hpp"

namespace bloomsketch::test {

// How many of `count` succeed with this chance: the quantile of a number that is
// even over 0..1, counted from the most likely one to either side.
inline std::uint32_t draw_binomial(std::uint32_t count, double chance, Random &random)
{
	if (count == 0 || chance <= 0 || chance >= 1)
		return chance >= 1 ? count : 0;
	const double n = count, odds = chance / (1 - chance);
	double low = std::floor((n + 1) * chance), high = low + 1;
	low = std::min(low, n);
	double low_chance = std::exp(std::lgamma(n + 1) - std::lgamma(low + 1) - std::lgamma(n - low + 1) +
	                             low * std::log(chance) + (n - low) * std::log1p(-chance));
	double high_chance = low_chance * (n - low) / (low + 1) * odds;
	for (double left = random.unit(); low >= 0 || high <= n; ++high) {
		if (low >= 0) {
			if ((left -= low_chance) <= 0)
				return static_cast<std::uint32_t>(low);
			low_chance *= low / (n - low + 1) / odds;
			--low;
		}
		if (high <= n && (left -= high_chance) <= 0)
			return static_cast<std::uint32_t>(high);
		high_chance *= (n - high) / (high + 1) * odds;
		if (low_chance + high_chance < 1e-18)
			break;  // rounding led beyond the last
	}
	return static_cast<std::uint32_t>(std::floor((n + 1) * chance));
}

// Standard normal (Box and Muller 1958).
inline double draw_normal(Random &random)
{
	const double radius = std::sqrt(-2 * std::log(random.unit()));
	return radius * std::cos(2 * std::numbers::pi * random.unit());
}

class Rising {
public:
	// `seen` values made this histogram.
	Rising(const hll::Histogram &histogram, int precision, double seen, const Random &random)
		: precision_(precision), random_(random), histogram_(histogram), next_change_(seen)
	{
		for (int rank = 0; rank < hll::max_rank(precision_); ++rank)
			weight_ += weight_of(rank);
		draw_next_change();
	}

	static hll::Histogram draw(int precision, double n, Random &random)
	{
		const double m = hll::register_count(precision);
		const double load = std::max(0.0, n - 6 * std::sqrt(n)) / m;
		hll::Histogram histogram{};
		double mean = 0, variance = 0, above = 1;  // of the number of values, and chance of higher ranks
		std::uint32_t left = hll::register_count(precision);
		for (int rank = hll::max_rank(precision); rank >= 0; --rank) {
			// At most the rank below; downwards, as the lowest ranks' chances vanish.
			const double below = rank == 0 ? 0 : std::exp(-load * std::exp2(1 - rank));
			const std::uint32_t count = draw_binomial(left, 1 - below / above, random);
			histogram[static_cast<std::size_t>(rank)] = count;
			left -= count;
			above = below;
			add_values(count, load, rank, hll::max_rank(precision), mean, variance);
			if (left == 0)
				break;
		}
		const double seen = std::round(mean + std::sqrt(variance) * draw_normal(random));
		Rising rising(histogram, precision, std::clamp(seen, 0.0, n), random);
		rising.advance_to(n);
		random = rising.random_;
		return rising.histogram_;
	}

	// n never falls.
	void advance_to(double n)
	{
		while (next_change_ <= n)
			change();
	}

	const hll::Histogram &histogram() const { return histogram_; }

private:
	// The mean and the variance of the number of values in registers of this rank:
	// any number below it, and at least one at it.
	static void add_values(double count, double load, int rank, int highest, double &mean, double &variance)
	{
		if (rank == 0)
			return;
		const double at = load * std::exp2(rank == highest ? 1 - rank : -rank);
		const double below = load * (1 - std::exp2(1 - rank));
		const double at_mean = at > 0 ? at / -std::expm1(-at) : 1;
		mean += count * (below + at_mean);
		variance += count * (below + at_mean * (1 + at - at_mean));
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
	Random random_;
	hll::Histogram histogram_;
	double weight_ = 0;  // W
	double next_change_;
	int lowest_ = 0;
};

}  // namespace bloomsketch::test
