// Stored values that a transaction reads again and again, kept whole: where many
// look-ups meet one sketch, detoasting it, or parts of it, for each would cost
// more than they do.
#pragma once

#include "common/hash.hpp"
#include "common/pg.hpp"

namespace bloomsketch {

// Counts a reading of a value that is stored out of line. Gives the value whole
// once there were that many, this one included; nullptr before.
const varlena *kept_whole(Datum stored, std::size_t readings);

// The same for look-ups by slices: nullptr while these have taken less time than reading
// all of the value, one look-up's as much as reading `bytes_per_lookup`.
const varlena *kept_after_lookups(Datum stored, std::size_t bytes_per_lookup);

// The value in an argument, kept whole from its first reading on where it is stored out
// of line.
const varlena *kept_argument(FunctionCallInfo fcinfo, int argument);

}  // namespace bloomsketch
