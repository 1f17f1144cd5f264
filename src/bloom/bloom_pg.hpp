// What the SQL functions of type bloom share.
#pragma once

#include "bloom/bloom.hpp"
#include "common/image_pg.hpp"
#include "common/value_pg.hpp"

namespace bloomsketch::bloom {

// The filter at rest with what one that is being built holds; any other as it is.
// Only an aggregate of the user's own that has no final function hands out such.
const varlena *at_rest(const varlena *value);

// A kind of value to be looked up or added must be the one that is held, if any.
void require_kind(ValueKind held, ValueKind kind);

}  // namespace bloomsketch::bloom
