// The reference workload: 2,000,000 draws over 100,000 values, value i (1, 2, ..)
// drawn with chance proportional to 1 / i.
#pragma once

#include <algorithm>
#include <vector>

#include "cms_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

// How often each value was drawn.
inline std::vector<std::uint64_t> draw_by_rank(std::size_t values, std::uint64_t draws, std::uint64_t seed)
{
	std::vector<double> sums(values);
	double sum = 0;
	for (std::size_t i = 0; i < values; ++i)
		sums[i] = sum += 1 / static_cast<double>(i + 1);
	std::vector<std::uint64_t> counts(values);
	Random random(seed);
	for (std::uint64_t i = 0; i < draws; ++i) {
		const auto drawn = std::lower_bound(sums.begin(), sums.end() - 1, random.unit() * sum);
		++counts[static_cast<std::size_t>(drawn - sums.begin())];
	}
	return counts;
}

// The sketch of values 0, 1, .. that came so often.
inline CmsBuilding build_cms(const std::vector<std::uint64_t> &counts, const cms::Parameters &parameters)
{
	CmsBuilding building(parameters);
	for (std::size_t value = 0; value < counts.size(); ++value)
		building.add(hash_word(value, parameters.seed), counts[value]);
	return building;
}

}  // namespace bloomsketch::test
