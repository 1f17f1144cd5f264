// What the SQL functions of type bloom share.
#pragma once

#include "bloom/self_sizing.hpp"
#include "bloom/state.hpp"
#include "common/filter_pg.hpp"

namespace bloomsketch::bloom {

// The size of a filter, or the error that says why there is none (bloom_sizing_pg.cpp).
Sizing checked_sizing(std::int64_t capacity, double rate);
void require_parameters(std::int64_t capacity, double rate);

// An empty filter in a form to be filled by many calls, or at rest.
State create_to_fill(const Asked &asked, ValueKind kind);
State create_at_rest(const Asked &asked);

// A copy to change, of a filter at rest that has parameters.
State copy_of(const varlena *value);
varlena *parameterless();

// The filter at rest with what one that is being built holds; any other as it is.
// Only an aggregate of the user's own that has no final function hands out such.
const varlena *at_rest(const varlena *value);

// Whether a filter has neither parameters nor values.
bool is_parameterless(const varlena *value);

// Takes over what `filter` holds, which must agree in everything.
void unite(State &state, const Filter &filter);

// The error for a fixed filter that meets one in layers, either way round.
[[noreturn]] void raise_fixed_and_layered(const varlena *a, const varlena *b);

// Filters in layers and what becomes such (bloom_layers_pg.cpp): the filter at rest;
// one with a value more; the union of two arguments, of which a state may be changed.
const varlena *layers_at_rest(const varlena *value);
MutableBytes with_value(MutableBytes image, Hash64 hash);
const varlena *unite_layers(const varlena *a, const varlena *b);
const varlena *combine_layers(MutableBytes state, const varlena *added);
void require_grown(Growth growth);

// Warns where too many bits are set (bloom_fill_pg.cpp).
void warn_if_overfull(const varlena *value);

}  // namespace bloomsketch::bloom
