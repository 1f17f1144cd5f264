// What two HyperLogLogs of the same precision have in common, by the joint maximum
// likelihood of Ertl, "New cardinality estimation algorithms for HyperLogLog
// sketches" (2017), section 6.
//
// Let a, b and x be the values a register gets on the average that are only in
// the first set, only in the second, and in both, as Poisson numbers. A register
// is at most at rank k in the first with chance exp(-(a + x) 2^-k), in the second
// with exp(-(b + x) 2^-k). Where the ranks differ, the lower one is a matter of
// all values of its set, x included, and the higher one of those that are in its
// set only. So ranks i < j have the chance f(a + x, i) f(b, j), with
//
//   f(s, k) = exp(-s z) (1 - exp(-s z)),   z = 2^-k,
//
// and equal ranks k, with y(s) = 1 - exp(-s z),
//
//   exp(-(a + b + x) z) (y(x) + exp(-x z) y(a) y(b)):
//
// at rank 0 only the first factor of both, and at the highest rank, 65 - p, only
// the second with the z of the rank below. Hence five counts for each rank say all.
//
// The logarithm of the likelihood is climbed by Newton's method, damped (Marquardt
// 1963), in the square roots of a, b and x: those may have any sign, and the
// frequent maximum at 0, of sets that are disjoint or contain each other, is a
// smooth one. Exchanging the sketches exchanges all intermediate results to the
// last bit, so sums are grouped such that a and b are added to each other.
#pragma once

#include <algorithm>

#include "hll/estimate.hpp"

namespace bloomsketch::hll {

// How many registers have each rank: in the first and the second sketch where the
// first has the lower one, the same where it has the higher one, and where equal.
struct JointHistogram {
	Histogram a_low{}, b_high{}, a_high{}, b_low{}, equal{};

	// The ranks of the first, the second and their union.
	Histogram a() const { return sum(a_low, a_high, equal); }
	Histogram b() const { return sum(b_low, b_high, equal); }
	Histogram either() const { return sum(a_high, b_high, equal); }

private:
	static Histogram sum(const Histogram &first, const Histogram &second, const Histogram &third)
	{
		Histogram sum;
		for (std::size_t rank = 0; rank < sum.size(); ++rank)
			sum[rank] = first[rank] + second[rank] + third[rank];
		return sum;
	}
};

// Counts pairs of ranks, piece by piece.
class JointCounter {
public:
	void add(const std::uint8_t *a, const std::uint8_t *b, std::size_t count)
	{
		for (std::size_t i = 0; i < count; ++i)
			++pairs_[(a[i] & 0x3Fu) * ranks + (b[i] & 0x3Fu)];
	}

	JointHistogram histogram() const
	{
		JointHistogram joint;
		for (std::size_t a = 0; a < ranks; ++a)
			for (std::size_t b = 0; b < ranks; ++b)
				if (const std::uint32_t count = pairs_[a * ranks + b]; count != 0) {
					(a < b ? joint.a_low : a > b ? joint.a_high : joint.equal)[a] += count;
					if (a != b)
						(a < b ? joint.b_high : joint.b_low)[b] += count;
				}
		return joint;
	}

private:
	static constexpr std::size_t ranks = 64;

	std::array<std::uint32_t, ranks * ranks> pairs_{};
};

// Numbers of values in the first set only, in the second only, and in both.
struct Parts {
	double a, b, x;
};

namespace detail {

// A symmetric matrix over a, b and x.
struct Curvature {
	double aa = 0, bb = 0, xx = 0, ab = 0, ax = 0, bx = 0;
};

// The logarithm of the likelihood, its gradient, and its second derivatives.
struct Likelihood {
	double log = 0;
	Parts slope{0, 0, 0};
	Curvature curvature;
};

// The likelihood of a, b and x, given what registers were counted.
class JointLikelihood {
public:
	JointLikelihood(const JointHistogram &joint, int precision) : joint_(joint), top_(max_rank(precision))
	{
		for (int rank = 0; rank < top_; ++rank) {
			const std::size_t k = static_cast<std::size_t>(rank);
			const double a_low = joint.a_low[k], b_low = joint.b_low[k], equal = joint.equal[k];
			weight_.a += std::ldexp(a_low + (joint.a_high[k] + equal), -rank);
			weight_.b += std::ldexp(b_low + (joint.b_high[k] + equal), -rank);
			weight_.x += std::ldexp((a_low + b_low) + equal, -rank);
		}
		while (top_ > 1 && is_unused(static_cast<std::size_t>(top_)))
			--top_;
		lowest_z_ = std::ldexp(1, -std::min(top_, max_rank(precision) - 1));
		has_highest_ = top_ == max_rank(precision);
	}

	// From the highest rank to the lowest: as z doubles, 1 - y is squared, so y
	// becomes y (2 - y), without a loss of digits and without an exponential.
	Likelihood at(const Parts &parts) const
	{
		Likelihood result;
		result.log = -((parts.a * weight_.a + parts.b * weight_.b) + parts.x * weight_.x);
		result.slope = {-weight_.a, -weight_.b, -weight_.x};
		double z = lowest_z_;
		Parts y{-std::expm1(-parts.a * z), -std::expm1(-parts.b * z), -std::expm1(-parts.x * z)};
		for (int rank = top_; rank >= 1; --rank) {
			add_rank(static_cast<std::size_t>(rank), z, y, result);
			if (has_highest_ && rank == top_)
				continue;  // the rank below has the same z
			z += z;
			y = {y.a * (2 - y.a), y.b * (2 - y.b), y.x * (2 - y.x)};
		}
		return result;
	}

private:
	bool is_unused(std::size_t k) const
	{
		return (joint_.a_low[k] | joint_.b_low[k] | joint_.a_high[k] | joint_.b_high[k] | joint_.equal[k]) == 0;
	}

	// count * log y(s): its value and its derivatives by s.
	struct Term {
		double log = 0, slope = 0, curvature = 0;

		Term(std::uint32_t count, double z, double y)
		{
			if (count == 0)
				return;
			log = count * std::log(y);
			slope = count * z * (1 - y) / y;
			curvature = -slope * z / y;
		}
	};

	void add_rank(std::size_t k, double z, const Parts &y, Likelihood &result) const
	{
		const Term a(joint_.a_high[k], z, y.a), b(joint_.b_high[k], z, y.b);
		const Term ax(joint_.a_low[k], z, y.a + (1 - y.a) * y.x), bx(joint_.b_low[k], z, y.b + (1 - y.b) * y.x);
		result.log += (a.log + b.log) + (ax.log + bx.log);
		result.slope.a += a.slope + ax.slope;
		result.slope.b += b.slope + bx.slope;
		result.slope.x += ax.slope + bx.slope;
		result.curvature.aa += a.curvature + ax.curvature;
		result.curvature.bb += b.curvature + bx.curvature;
		result.curvature.xx += ax.curvature + bx.curvature;
		result.curvature.ax += ax.curvature;
		result.curvature.bx += bx.curvature;
		if (joint_.equal[k] != 0)
			add_equal(joint_.equal[k], z, y, result);
	}

	// count * log(y(x) + exp(-x z) y(a) y(b)).
	static void add_equal(double count, double z, const Parts &y, Likelihood &result)
	{
		const double chance = y.x + (1 - y.x) * (y.a * y.b);
		const double scale = z * (1 - y.x) / chance;
		const double a = scale * ((1 - y.a) * y.b), b = scale * ((1 - y.b) * y.a), x = scale * (1 - y.a * y.b);
		result.log += count * std::log(chance);
		result.slope.a += count * a;
		result.slope.b += count * b;
		result.slope.x += count * x;
		result.curvature.aa -= count * a * (z + a);
		result.curvature.bb -= count * b * (z + b);
		result.curvature.xx -= count * x * (z + x);
		result.curvature.ax -= count * a * (z + x);
		result.curvature.bx -= count * b * (z + x);
		result.curvature.ab += count * (z * scale * ((1 - y.a) * (1 - y.b)) - a * b);
	}

	const JointHistogram &joint_;
	int top_;           // the highest rank of all
	bool has_highest_;  // which is the highest possible
	double lowest_z_;
	Parts weight_{0, 0, 0};  // of a, b and x in what is linear
};

// Solves (curvature + damping |diagonal|) step = slope; false unless that matrix
// is positive definite. x is eliminated first, so that a and b stay alike.
inline bool solve(const Curvature &curvature, double damping, const Parts &slope, Parts &step)
{
	const double xx = curvature.xx + damping * std::abs(curvature.xx);
	const double a = curvature.ax / xx, b = curvature.bx / xx;
	const double aa = curvature.aa + damping * std::abs(curvature.aa) - a * curvature.ax;
	const double bb = curvature.bb + damping * std::abs(curvature.bb) - b * curvature.bx;
	const double ab = curvature.ab - curvature.ax * curvature.bx / xx;
	const double determinant = aa * bb - ab * ab;
	if (!(xx > 0 && aa > 0 && bb > 0 && determinant > 0))
		return false;
	const double slope_a = slope.a - a * slope.x, slope_b = slope.b - b * slope.x;
	step.a = (slope_a * bb - slope_b * ab) / determinant;
	step.b = (slope_b * aa - slope_a * ab) / determinant;
	step.x = slope.x / xx - (a * step.a + b * step.b);
	return true;
}

// The likelihood's slope in the square roots of a, b and x, and its curvature
// with the sign turned, so that it is positive around a maximum.
struct InRoots {
	Parts slope;
	Curvature curvature;

	InRoots(const Likelihood &at, const Parts &root)
		: slope{2 * root.a * at.slope.a, 2 * root.b * at.slope.b, 2 * root.x * at.slope.x}
	{
		curvature.aa = -2 * at.slope.a - 4 * root.a * root.a * at.curvature.aa;
		curvature.bb = -2 * at.slope.b - 4 * root.b * root.b * at.curvature.bb;
		curvature.xx = -2 * at.slope.x - 4 * root.x * root.x * at.curvature.xx;
		curvature.ab = -4 * (root.a * root.b) * at.curvature.ab;
		curvature.ax = -4 * (root.a * root.x) * at.curvature.ax;
		curvature.bx = -4 * (root.b * root.x) * at.curvature.bx;
	}
};

// A root after a step. Not 0, where it would stay; a sixteenth, for a value of
// 1/256, is near enough at a time.
inline double stepped(double root, double step) { return std::max(std::abs(root + step), root / 16); }

constexpr Parts square(const Parts &root) { return {root.a * root.a, root.b * root.b, root.x * root.x}; }

// The a, b and x of the highest likelihood, from a guess above 0. Ends where a step would
// win less than 1e-6, that is within a thousandth of a standard deviation; six
// to ten steps as a rule.
inline Parts climb(const JointLikelihood &likelihood, const Parts &start)
{
	constexpr double enough = 1e-6;
	constexpr int most_steps = 60;
	Parts root{std::sqrt(start.a), std::sqrt(start.b), std::sqrt(start.x)};
	Likelihood here = likelihood.at(square(root));
	InRoots local(here, root);
	double damping = 0;
	for (int i = 0; i < most_steps; ++i) {
		Parts step;
		if (solve(local.curvature, damping, local.slope, step)) {
			const double win = 0.5 * ((local.slope.a * step.a + local.slope.b * step.b) + local.slope.x * step.x);
			if (win < enough)
				break;
			const Parts next{stepped(root.a, step.a), stepped(root.b, step.b), stepped(root.x, step.x)};
			if (const Likelihood there = likelihood.at(square(next)); there.log > here.log) {
				root = next;
				here = there;
				local = InRoots(here, root);
				damping = damping > 0.01 ? damping / 8 : 0;
				continue;
			}
		}
		damping = std::max(0.25, 4 * damping);
	}
	return square(root);
}

}  // namespace detail

// The most likely numbers of values. Both sketches have values.
inline Parts estimate_parts(const JointHistogram &joint, int precision)
{
	constexpr double largest = 3e18;  // three of which fit into 63 bits
	const double m = register_count(precision);
	const double a = std::min(estimate_registers(joint.a(), precision), largest);
	const double b = std::min(estimate_registers(joint.b(), precision), largest);
	const double both = a + b - std::min(estimate_registers(joint.either(), precision), 2 * largest);
	if (!(a > 0 && b > 0))
		return {a, b, 0};
	const double fewer = std::min(a, b);
	const double x = std::clamp(both, 0.01 * fewer, 0.99 * fewer);
	const Parts loads = detail::climb({joint, precision}, {(a - x) / m, (b - x) / m, x / m});
	return {std::min(loads.a * m, largest), std::min(loads.b * m, largest), std::min(loads.x * m, largest)};
}

}  // namespace bloomsketch::hll
