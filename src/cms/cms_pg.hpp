// What the SQL functions of type cms share.
#pragma once

#include "cms/building.hpp"
#include "common/image_pg.hpp"

namespace bloomsketch::cms {

// States and scratch are made in values of their own, in the current memory context.
inline constexpr auto allocate = [](std::size_t size) { return image_of(new_image(size)); };

// Two sketches to be united or multiplied must agree in everything.
void require_same(const Sketch &a, const Sketch &b);

// Raises the error that a change ended in, if it did.
void require_done(Change change);

// The canonical image of a sketch, and of one without parameters.
varlena *stored(const Sketch &sketch);
varlena *parameterless();

}  // namespace bloomsketch::cms
