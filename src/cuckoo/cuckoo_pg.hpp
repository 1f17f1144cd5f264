// What the SQL functions of type cuckoo share.
#pragma once

#include "common/filter_pg.hpp"
#include "cuckoo/state.hpp"

namespace bloomsketch::cuckoo {

inline Parameters parameters_for(const Asked &asked)
{
	return {static_cast<std::uint64_t>(asked.capacity), asked.rate, asked.seed};
}

// The size of a filter, or the error that says why there is none (cuckoo_sizing_pg.cpp).
Geometry checked_geometry(const Asked &asked);

// An empty filter, and a copy to change of one that has parameters.
State create(const Asked &asked);
State copy_of(const varlena *value);
varlena *parameterless();

// Adds a value of the kind that the filter holds, or raises an error.
void add(State &state, Hash64 hash);

// The state with what both hold: `state`, or a copy of the filter where that holds more.
State united(State state, const varlena *value, const Filter &filter);

// Warns where there are more values in a filter than its rate allows.
void warn_if_overfull(const Filter &filter);

}  // namespace bloomsketch::cuckoo
