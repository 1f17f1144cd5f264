// What the SQL functions of type topk share.
#pragma once

#include "common/image_pg.hpp"
#include "common/rendering_pg.hpp"
#include "topk/building.hpp"
#include "topk/unite.hpp"

namespace bloomsketch::topk {

// k in range.
void require_k(std::int64_t k);

// Raises the error that a change ended in; `text` is the one that was to be added.
[[noreturn]] void raise_unchanged(Change change, Bytes text);

inline void require_done(Change change, Bytes text = {})
{
	if (change != Change::done)
		raise_unchanged(change, text);
}

// The same value at rest: itself, unless it is the state of an aggregate, which its
// combine and final functions get, and whoever leaves out the final function. A damaged
// state stays what it is, and can't be opened.
const varlena *at_rest(const varlena *value);

// A sketch in an argument. Functions read it this way, but for the step over values, which
// changes its state in place, and topk_count, which keeps a stored sketch.
struct SketchArgument {
	SketchArgument(FunctionCallInfo fcinfo, int argument) : datum(PG_GETARG_DATUM(argument))
	{
		const varlena *given = detoast_packed(datum);
		const varlena *value = at_rest(given);
		if (value != given)
			datum = PointerGetDatum(value);
		sketch = open_or_raise<Sketch>(value);
	}

	Datum datum;  // the argument as it was given, where it was at rest
	Sketch sketch;
};

// A working copy of a sketch that has parameters, and a state at rest.
State copy_of(const Sketch &sketch);
varlena *stored(const State &state);

// The union of two arguments, or an error where they do not go together.
Datum united(const SketchArgument &a, const SketchArgument &b);

varlena *parameterless();

}  // namespace bloomsketch::topk
