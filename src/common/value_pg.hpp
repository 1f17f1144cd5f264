// From a SQL value to the 64-bit hash that every sketch uses. A value becomes a
// byte image that equal values share and that is the same on every server
// (docs/FORMAT.md lists them), and the image is hashed with the sketch's seed.
#pragma once

#include "common/hash.hpp"
#include "common/pg.hpp"
#include "common/value_kind.hpp"

namespace bloomsketch {

// How the values of one SQL type are read.
struct ValueSource {
	Oid type = InvalidOid;  // domains resolved
	ValueKind kind;
};

// The source for a type, or an error (0A000) with a hint for one without an
// image. Text needs a deterministic collation.
ValueSource source_for_type(Oid type, Oid collation);

// The source for an argument of the function being called. It is kept in
// fn_extra, and found again where a caller starts with a fresh FmgrInfo.
const ValueSource &source_for_argument(FunctionCallInfo fcinfo, int argument);

Hash64 hash_value(const ValueSource &source, Datum value, std::int64_t seed);

}  // namespace bloomsketch
