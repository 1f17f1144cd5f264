// What the SQL functions of type hll share.
#pragma once

#include "common/image_pg.hpp"
#include "hll/building.hpp"

namespace bloomsketch::hll {

void require_precision(int precision);

void require_well_formed(Malformed reason);

// Two sketches to be united or compared must agree in everything.
void require_same(const Sketch &a, const Sketch &b);

// A copy to change, at the sketch's precision or a lower one.
State copy_of(const Sketch &sketch, int precision);

// Takes over what `sketch` holds, which must agree in everything.
void unite(State &state, const Sketch &sketch);

// The canonical image of a sketch, and of one without parameters.
varlena *stored(const Sketch &sketch);
varlena *parameterless();

}  // namespace bloomsketch::hll
