// Estimates as whole numbers.
#pragma once

#include <cmath>
#include <cstdint>

namespace bloomsketch {

// An estimate of 0 or more as SQL returns it: rounded, and 2^63 - 1 where it is beyond.
inline std::int64_t rounded(double estimate)
{
	return estimate < 9.2e18 ? static_cast<std::int64_t>(std::round(estimate)) : INT64_MAX;
}

}  // namespace bloomsketch
