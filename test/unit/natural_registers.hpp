// Registers as values leave them, drawn one by one: with L values a register on the
// average, rank k or lower has a chance of exp(-L / 2^k).
#pragma once

#include <algorithm>
#include <cmath>

#include "hll/entry.hpp"
#include "image.hpp"
#include "random.hpp"

namespace bloomsketch::test {

inline Image natural_registers(int precision, double values_per_register, Random &random)
{
	Image registers(hll::register_count(precision));
	for (std::uint8_t &rank : registers) {
		const double drawn = -std::log(random.unit()) / values_per_register;  // below 2^-k: rank k or lower
		const double lowest = std::ceil(-std::log2(drawn));
		rank = static_cast<std::uint8_t>(std::clamp(lowest, 0.0, static_cast<double>(hll::max_rank(precision))));
	}
	return registers;
}

}  // namespace bloomsketch::test
