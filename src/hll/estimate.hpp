// How many distinct values a HyperLogLog has seen.
//
// From registers: the improved raw estimator of Ertl, "New cardinality
// estimation algorithms for HyperLogLog sketches" (2017), section 4, algorithm
// 6, divided by its bias of 1.08 / 2^p at most. It serves from 0 to 2^64 without
// tables or a switch between formulas; its standard error is 1.04 / sqrt(2^p).
//
// From entries: linear counting over 2^26 cells (Whang et al. 1990); its
// standard error is 1 / sqrt(2 * 2^26) = 0.009 % for as few entries as there are.
#pragma once

#include <cmath>
#include <numbers>

#include "hll/registers.hpp"

namespace bloomsketch::hll {

// The standard error of the estimate once dense (Flajolet et al. 2007).
inline double standard_error(int precision)
{
	return 1.04 / std::sqrt(static_cast<double>(register_count(precision)));
}

namespace detail {

// x + sum over k >= 1 of x^(2^k) * 2^(k-1): what registers that are 0 tell.
inline double sigma(double x)
{
	if (x == 1.0)
		return HUGE_VAL;
	double sum = x;
	double weight = 1.0;
	for (double before = -1.0; sum != before; weight += weight) {
		x *= x;
		before = sum;
		sum += x * weight;
	}
	return sum;
}

// (1 - x - sum over k >= 1 of (1 - x^(2^-k))^2 * 2^-k) / 3: what registers at
// the highest rank tell.
inline double tau(double x)
{
	if (x == 0.0 || x == 1.0)
		return 0.0;
	double sum = 1.0 - x;
	double weight = 1.0;
	for (double before = -1.0; sum != before;) {
		x = std::sqrt(x);
		before = sum;
		weight *= 0.5;
		sum -= (1.0 - x) * (1.0 - x) * weight;
	}
	return sum / 3.0;
}

// The mean of 1 / z is above 1 / the mean of z, by a factor 1 + g / m with
// g = 3 ln 2 - 1 once there are many values a register (as in Flajolet's alpha_m)
// and g = 1/2 while there are few. Between them an exponential fits well enough
// to leave a bias of 0.001 % at p = 10 (docs/ACCURACY.md).
inline double excess(double values_per_register)
{
	return 1.08 - 0.58 * std::exp(-0.385 * values_per_register);
}

}  // namespace detail

inline double estimate_registers(const RegisterSums &sums, int precision)
{
	const double m = register_count(precision);
	const double highest = m * detail::tau(1.0 - sums.highest / m);
	const double others = std::ldexp(highest + static_cast<double>(sums.inverse), precision - 64);
	const double z = others + m * detail::sigma(sums.zeros / m);
	const double raw = m / (2.0 * std::numbers::ln2) * (m / z);
	return raw / (1.0 + detail::excess(raw / m) / m);
}

inline double estimate_registers(const Histogram &histogram, int precision)
{
	return estimate_registers(sums_of(histogram, precision), precision);
}

inline double estimate_entries(std::uint32_t count)
{
	constexpr double cells = std::uint32_t{1} << index_bits;
	return -cells * std::log1p(-static_cast<double>(count) / cells);
}

}  // namespace bloomsketch::hll
