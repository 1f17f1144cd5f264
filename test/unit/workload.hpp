// The reference workload: draws of values 1, 2, .., value i with chance in proportion to
// 1 / i.
#pragma once

#include <algorithm>
#include <vector>

#include "random.hpp"

namespace bloomsketch::test {

inline constexpr std::size_t workload_values = 100'000;
inline constexpr std::uint64_t workload_draws = 2'000'000;

// How often each value was drawn.
inline std::vector<std::uint64_t> draw_workload(std::uint64_t seed)
{
	std::vector<double> sums(workload_values);
	double sum = 0;
	for (std::size_t i = 0; i < workload_values; ++i)
		sums[i] = sum += 1 / static_cast<double>(i + 1);
	std::vector<std::uint64_t> counts(workload_values);
	Random random(seed);
	for (std::uint64_t i = 0; i < workload_draws; ++i) {
		const auto drawn = std::lower_bound(sums.begin(), sums.end() - 1, random.unit() * sum);
		++counts[static_cast<std::size_t>(drawn - sums.begin())];
	}
	return counts;
}

}  // namespace bloomsketch::test
