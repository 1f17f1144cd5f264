// Between which numbers the true number of distinct values lies, with a given
// confidence.
//
// Dense: the estimate e of n values in m registers, at a load of L = n / m,
// deviates by
//
//   ln(e / n) = r x(z) - r^2 / 2
//   r^2 = (1.08 - 0.5 exp(-0.27 L) - 0.08 exp(-0.035 L)) / m
//
// for a standard normal z. m r^2 goes from 1/2, that of linear counting (Whang et
// al. 1990), to 3 ln 2 - 1, that of HyperLogLog (Flajolet et al. 2007); -r^2 / 2
// is what keeps the mean of e at n. x is z bent to the skewness
//
//   s = (0.95 - 1.6 / L exp(-0.15 L^2)) / sqrt(m),
//
// positive once registers are full, negative while the estimate falls short by
// values that share a register. The other constants were fitted to simulated
// sketches, p = 4..10; docs/ACCURACY.md has the coverage. A bound is the n of
// which e is just the quantile, and the numbers returned are the first and last
// whole ones within: rounded to the outside, a range of few would cover too often.
//
// Sparse: n values make c entries, less than n by those that met an index in use,
// a Poisson number of mean n^2 / 2^27. The bounds are c and its quantiles.
#pragma once

#include <algorithm>

#include "common/rounded.hpp"
#include "hll/hll.hpp"

namespace bloomsketch::hll {

struct Bounds {
	std::int64_t lower, estimate, upper;

	bool operator==(const Bounds &) const = default;
};

constexpr bool is_valid_confidence(double confidence) { return confidence > 0 && confidence < 1; }

namespace detail {

// How far a standard normal variable is from 0 at most, with this chance. Beyond
// 8.3 that is 1 as a double. Bisection is quick enough, and needs no table.
inline double normal_deviation(double confidence)
{
	double low = 0, high = 9;
	for (int step = 0; step < 60; ++step) {
		const double middle = 0.5 * (low + high);
		(std::erfc(middle / std::numbers::sqrt2) > 1 - confidence ? low : high) = middle;
	}
	return 0.5 * (low + high);
}

// The quantile of a variable of mean 0, variance 1 and this skewness where a
// normal one's is z: ((1 + s z / 6 - s^2 / 36)^3 - 1) 2 / s, a gamma variable's
// (Wilson and Hilferty 1931). Grows with z, to the end of the range at the most.
inline double bend(double z, double skewness)
{
	double part = z / 6 - skewness / 36;
	if (skewness * part < -1)
		part = -1 / skewness;
	return 2 * part * (3 + skewness * part * (3 + skewness * part));
}

// The number of values of which this estimate is the quantile at z. Spread and
// skewness vary slowly with the load, so going half the way to what they ask for
// converges for any z: sixteen rounds leave less than 1e-4 of r. No dense sketch has
// a load below 1 / 8.
inline double values_at(double estimate, double z, double m)
{
	double n = estimate;
	for (int round = 0; round < 16; ++round) {
		const double load = std::max(n / m, 0.125);
		const double rest = 0.5 * std::exp(-0.27 * load) + 0.08 * std::exp(-0.035 * load);
		const double spread = std::sqrt((1.08 - rest) / m);
		const double skewness = (0.95 - 1.6 / load * std::exp(-0.15 * load * load)) / std::sqrt(m);
		n = std::sqrt(n * estimate * std::exp(spread * (0.5 * spread - bend(z, skewness))));
	}
	return n;
}

// At low loads estimates come in steps, one for each register that is 0, of
// e^L each: where steps are coarse, half a one more to either side keeps the
// coverage. Ranks blur them by 0.18 sqrt(m L) in z, where a register counts 0.72 /
// L^2 (estimate.hpp): some 0.25 L^2.5 sqrt(m) steps, the square of which, times
// 2 pi^2, is the exponent by which steps fade.
inline double half_step(double load, double m)
{
	return 0.5 * std::exp(load - m * std::pow(load, 5));
}

}  // namespace detail

inline Bounds bounds_of_registers(const RegisterSums &sums, int precision, double confidence)
{
	const double m = register_count(precision);
	const double estimate = estimate_registers(sums, precision);
	const std::int64_t count = rounded(estimate);
	if (count == 0 || count == INT64_MAX)
		return {count, count, count};
	const double z = detail::normal_deviation(confidence);
	const double step = std::min(detail::half_step(estimate / m, m), 0.5 * estimate);
	const double lower = std::ceil(detail::values_at(estimate - step, z, m));
	const double upper = std::floor(detail::values_at(estimate + step, -z, m));
	const double known = m - sums.zeros;  // no value is in two registers
	return {std::min(rounded(std::max(lower, known)), count), count, std::max(rounded(upper), count)};
}

inline Bounds bounds_of_entries(std::uint32_t entries, double confidence)
{
	const double estimate = estimate_entries(entries);
	const double mean = estimate - entries;  // of values that met an index in use
	const double tail = 0.5 * (1 - confidence);
	const std::int64_t count = rounded(estimate);
	Bounds bounds{entries, count, entries};
	double chance = std::exp(-mean);
	for (double below = 0; below + chance < 1 - tail && chance > 1e-17; ++bounds.upper) {
		below += chance;
		bounds.lower += below <= tail;
		chance *= mean / static_cast<double>(bounds.upper - entries + 1);
	}
	return {std::min(bounds.lower, count), count, std::max(bounds.upper, count)};
}

// With `confidence`, between 0 and 1, `lower` <= the number of values <= `upper`.
inline Bounds bounds(const Sketch &sketch, double confidence)
{
	return sketch.is_sparse() ? bounds_of_entries(sketch.entry_count(), confidence)
	                          : bounds_of_registers(sketch.sums(), sketch.precision(), confidence);
}

}  // namespace bloomsketch::hll
