// How many counters a Count-Min sketch has (Cormode and Muthukrishnan 2005):
//
//   width = ceil(e / epsilon), depth = ceil(ln(1 / delta))
//
// so that an estimate is above the truth by more than epsilon * N, N the total
// of all weights, with a chance of at most delta. The defaults give 2,719 x 5.
//
// Sketches unite only if they have the same counters, so both are file format:
// one correctly rounded division, and multiplications instead of a logarithm,
// whose last bit would depend on the library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace bloomsketch::cms {

inline constexpr double default_epsilon = 0.001;
inline constexpr double default_delta = 0.01;

// What a dense sketch may have at most: 256 MB in 64 bits each.
inline constexpr std::uint32_t max_counters = std::uint32_t{1} << 25;

// Whether this can be an epsilon or a delta: above 0 and below 1, no NaN.
constexpr bool is_valid_share(double share) { return share > 0 && share < 1; }

struct Parameters {
	double epsilon = default_epsilon;
	double delta = default_delta;
	std::int64_t seed = 0;

	constexpr bool operator==(const Parameters &) const = default;
};

// Counter (row, column) has position row * width + column.
struct Geometry {
	std::uint32_t width = 0;
	std::uint32_t depth = 0;

	constexpr std::uint32_t counters() const { return width * depth; }

	// False of the geometry of parameters that take more than max_counters.
	constexpr bool fits() const
	{
		return width != 0 && depth != 0 && std::uint64_t{width} * depth <= max_counters;
	}
	constexpr bool operator==(const Geometry &) const = default;
};

// The geometry for valid shares; one that does not fit() where it is too large.
inline Geometry geometry_for(const Parameters &parameters)
{
	const double width = std::ceil(std::numbers::e / parameters.epsilon);
	if (!(width <= max_counters))
		return {};
	std::uint32_t depth = 0;
	for (double reached = parameters.delta; reached < 1; reached *= std::numbers::e)
		++depth;
	return {static_cast<std::uint32_t>(width), depth};
}

}  // namespace bloomsketch::cms
