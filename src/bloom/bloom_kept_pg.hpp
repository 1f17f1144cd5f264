// Stored filters that a transaction looks values up in again and again, kept
// whole: where many look-ups meet one filter, a slice for each would cost what a
// btree probe costs.
#pragma once

#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

// Counts a look-up in a value that is stored out of line. Gives the value whole
// once there were enough of them to pay for reading it, else nullptr.
const varlena *kept_whole(Datum stored);

}  // namespace bloomsketch::bloom
