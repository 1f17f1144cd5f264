// The reference workload (workload.hpp) in Count-Min sketches.
#pragma once

#include "cms_building.hpp"
#include "workload.hpp"

namespace bloomsketch::test {

// The sketch of values 0, 1, .. that came so often.
inline CmsBuilding build_cms(const std::vector<std::uint64_t> &counts, const cms::Parameters &parameters)
{
	CmsBuilding building(parameters);
	for (std::size_t value = 0; value < counts.size(); ++value)
		building.add(hash_word(value, parameters.seed), counts[value]);
	return building;
}

}  // namespace bloomsketch::test
