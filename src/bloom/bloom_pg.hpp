// What the SQL functions of type bloom share.
#pragma once

#include "bloom/bloom.hpp"
#include "common/image_pg.hpp"
#include "common/value_pg.hpp"

namespace bloomsketch::bloom {

// A kind of value to be looked up or added must be the filter's.
void require_kind(const Filter &filter, ValueKind kind);

}  // namespace bloomsketch::bloom
