// From a SQL value to the 64-bit hash that every sketch uses. A value becomes a
// byte image that equal values share and that is the same on every server
// (docs/FORMAT.md lists them), and the image is hashed with the sketch's seed.
#pragma once

#include "common/hash.hpp"
#include "common/pg.hpp"
#include "common/value_kind.hpp"

namespace bloomsketch {

// How a value is read: most types need no more than a word or their own bytes.
enum class Reading : std::uint8_t {
	int64,     // the image is the 8-byte integer that the datum is
	word,      // the image is an 8-byte integer, which word_image() makes
	verbatim,  // the image is the value's bytes behind its length word
	image,     // value_image() makes it
};

// How the values of one SQL type are read.
struct ValueSource {
	Oid type = InvalidOid;  // domains resolved
	ValueKind kind;
	Reading reading = Reading::image;
};

// The source for a type, or an error (0A000) with a hint for one without an
// image. Text needs a deterministic collation.
ValueSource source_for_type(Oid type, Oid collation);

struct CachedSource {
	ValueSource source;
	Oid collation;
};

void find_source(FunctionCallInfo fcinfo, int argument, std::size_t kept_size);

// The source for an argument of the function being called, with what else the
// function keeps: its struct, which begins zeroed, derives from CachedSource. It
// lies in fn_extra, and is made again where a caller starts with a fresh FmgrInfo.
template <class Kept>
Kept &kept_for_argument(FunctionCallInfo fcinfo, int argument)
{
	const auto *cached = static_cast<const CachedSource *>(fcinfo->flinfo->fn_extra);
	if (cached == nullptr || cached->collation != PG_GET_COLLATION())
		find_source(fcinfo, argument, sizeof(Kept));
	return *static_cast<Kept *>(fcinfo->flinfo->fn_extra);
}

inline const ValueSource &source_for_argument(FunctionCallInfo fcinfo, int argument)
{
	return kept_for_argument<CachedSource>(fcinfo, argument).source;
}

// The word of a value of a type that is read as int64 or as a word.
std::uint64_t word_image(Oid type, Datum value);

// The image of a value that holds no others. It lives as long as the value, the buffer and the
// current memory context.
using ImageBuffer = std::array<std::uint8_t, 24>;
Bytes value_image(const ValueSource &source, Datum value, ImageBuffer &buffer);

inline Bytes verbatim_image(Datum value)
{
	const varlena *data = detoast_packed(value);
	return {reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(data)), VARSIZE_ANY_EXHDR(data)};
}

// The hash of a value whose image has to be made first.
Hash64 hash_image(const ValueSource &source, Datum value, std::int64_t seed);

inline Hash64 hash_value(const ValueSource &source, Datum value, std::int64_t seed)
{
	switch (source.reading) {
	case Reading::int64: return hash_word(static_cast<std::uint64_t>(DatumGetInt64(value)), seed);
	case Reading::word: return hash_word(word_image(source.type, value), seed);
	case Reading::verbatim: {
		const Bytes image = verbatim_image(value);
		return hash_bytes(image.data(), image.size(), seed);
	}
	case Reading::image: break;
	}
	return hash_image(source, value, seed);
}

}  // namespace bloomsketch
