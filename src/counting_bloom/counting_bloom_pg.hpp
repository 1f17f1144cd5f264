// What the SQL functions of type counting_bloom share.
#pragma once

#include "common/filter_pg.hpp"
#include "counting_bloom/store.hpp"

namespace bloomsketch::counting_bloom {

// Its parameters and size, or the error that says why there is none
// (counting_bloom_info_pg.cpp).
struct Geometry {
	Parameters parameters;
	std::uint64_t blocks;
};
Geometry checked_geometry(const Asked &asked);

// An error unless what was read is well formed.
void require_sound(Malformed reason);

// The same value at rest: itself, unless it is the state of an aggregate, which its
// combine and final functions get, and whoever leaves out the final function.
const varlena *at_rest(const varlena *value);

// A filter in an argument. All functions but the steps and look-ups read it this way.
struct FilterArgument {
	FilterArgument(FunctionCallInfo fcinfo, int argument) : datum(PG_GETARG_DATUM(argument))
	{
		const varlena *given = detoast_packed(datum);
		const varlena *value = at_rest(given);
		if (value != given)
			datum = PointerGetDatum(value);
		filter = open_or_raise<Filter>(value);
	}

	Datum datum;  // the argument as it was given, where it was at rest
	Filter filter;
};

// A working copy of a filter that has parameters, and a state at rest.
State copy_of(const Filter &filter);
varlena *stored(const State &state);

// Takes over what `filter` holds, or raises an error where the two do not agree.
void unite(State &state, const Filter &filter);

varlena *parameterless();

// Warns where too many bits are set (counting_bloom_info_pg.cpp).
void warn_if_overfull(const Filter &filter);

}  // namespace bloomsketch::counting_bloom
