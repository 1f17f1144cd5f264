// The byte images of values (docs/FORMAT.md, "Values").
#pragma once

#include "common/value_pg.hpp"

namespace bloomsketch {

// Room for images of fixed size; larger ones are made in the current memory
// context or are the value's own bytes.
using ImageBuffer = std::array<std::uint8_t, 24>;

// Types whose image is one 8-byte word. False for any other.
bool word_image(Oid type, Datum value, std::uint64_t &word);

// The image of any value. It lives as long as the value, the buffer and the
// current memory context.
Bytes value_image(const ValueSource &source, Datum value, ImageBuffer &buffer);

}  // namespace bloomsketch
