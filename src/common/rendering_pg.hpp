// From a SQL value to its text, which a sketch keeps beside the hash: what the type's
// output function writes, the same under every setting, in UTF-8.
#pragma once

#include "common/value_pg.hpp"

namespace bloomsketch {

// How the values of one SQL type are written.
struct Rendering {
	enum class How : std::uint8_t {
		unknown,
		verbatim,     // the value's bytes behind its length word
		image,        // texts and labels elsewhere: the bytes that are hashed are the text
		integer,
		single_char,
		money,
		output,       // the type's output function, under fixed settings
	};
	// How many texts a value may have that SQL holds for one: 1.0 and 1.00.
	enum class Texts : std::uint8_t { one, several_of_zero, several };

	How how = How::unknown;
	Texts texts = Texts::one;
	FmgrInfo output;  // only where it is called
};

// What a function keeps for a value that it may have to write (value_pg.hpp); begins
// zeroed.
struct WrittenSource : CachedSource {
	Rendering rendering;

	// Whether a value that is held already may be held with another text.
	bool may_differ(Datum value) const
	{
		return rendering.texts != Rendering::Texts::one &&
		       (rendering.texts == Rendering::Texts::several || is_zero(value));
	}

private:
	bool is_zero(Datum value) const
	{
		return source.type == FLOAT4OID ? DatumGetFloat4(value) == 0 : DatumGetFloat8(value) == 0;
	}
};

// What the rendering keeps lies in `memory`.
void find_rendering(const ValueSource &source, MemoryContext memory, Rendering &rendering);

// As kept_for_argument(), with the rendering.
template <class Kept>
Kept &kept_for_written_argument(FunctionCallInfo fcinfo, int argument)
{
	auto &kept = kept_for_argument<Kept>(fcinfo, argument);
	if (kept.rendering.how == Rendering::How::unknown)
		find_rendering(kept.source, fcinfo->flinfo->fn_mcxt, kept.rendering);
	return kept;
}

// A value's text. It lives as long as the value, the buffer and the current memory
// context.
Bytes render(WrittenSource &written, Datum value, ImageBuffer &buffer);

// Whether bytes from outside may be such a text here.
bool is_valid_text(Bytes text);

// Such a text as a value of type text, in the server's encoding.
Datum text_value(Bytes text);

}  // namespace bloomsketch
