// Sketches as PostgreSQL values: bytes behind a length word, from whichever
// door they come in.
#pragma once

#include "common/bytes.hpp"
#include "common/malformed.hpp"
#include "common/pg.hpp"
#include "common/value_kind.hpp"

namespace bloomsketch {

// Allocates a value with an image of `size` bytes, to be written through
// image_of(). The limit is PostgreSQL's: 1 GB.
varlena *new_image(std::size_t size);

// The image of a value that is not toasted or compressed.
inline Bytes image_of(const varlena *value)
{
	return {reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}
inline MutableBytes image_of(varlena *value)
{
	return {reinterpret_cast<std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

// The bytes written as \x and hex digits; nullptr after a softly reported error.
varlena *image_from_text(FunctionCallInfo fcinfo, const char *type);

// The bytes of a message that a receive function was handed.
varlena *image_from_message(FunctionCallInfo fcinfo);

// Raises an error unless the step function was called by an aggregate: it
// changes its first argument in place.
void require_aggregate(FunctionCallInfo fcinfo, const char *step);

// Errors that all sketches share. `type` is the SQL type's name.
[[noreturn]] void raise_malformed(const char *type, Malformed reason);
[[noreturn]] void raise_null_parameter(const char *parameter);
[[noreturn]] void raise_kind_mismatch(const char *type, ValueKind held, ValueKind given);
[[noreturn]] void raise_seed_mismatch(const char *type, std::int64_t held, std::int64_t given);

// A kind's name in the current memory context, such as `integer` or `text[]`.
const char *kind_name(ValueKind kind);

}  // namespace bloomsketch
