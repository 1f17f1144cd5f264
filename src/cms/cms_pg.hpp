// What the SQL functions of type cms share.
#pragma once

#include "cms/building.hpp"
#include "common/image_pg.hpp"

namespace bloomsketch::cms {

// Epsilon and delta in range, and counters that fit in memory.
void require_parameters(const Parameters &parameters);

// Two sketches to be united or multiplied must agree in everything.
void require_same(const Sketch &a, const Sketch &b);

// Raises the error that a change ended in, if it did.
void require_done(Change change);

// A copy to change, of a sketch that has parameters.
State copy_of(const Sketch &sketch);

// The canonical image of a sketch, and of one without parameters.
varlena *stored(const Sketch &sketch);
varlena *parameterless();

// An argument as the result: itself, or stored if it is a working form.
Datum unchanged(FunctionCallInfo fcinfo, int argument, const Sketch &sketch);

}  // namespace bloomsketch::cms
