// From a SQL value to its text, which a sketch keeps beside the hash: what the type's
// output function writes, the same under every setting, in UTF-8.
#pragma once

#include "common/value_pg.hpp"

namespace bloomsketch {

// How the values of one SQL type are written.
struct Rendering {
	enum class How : std::uint8_t {
		verbatim,     // the value's bytes behind its length word
		image,        // texts and labels elsewhere: the bytes that are hashed are the text
		integer,
		single_char,
		money,
		output,       // the type's output function, under fixed settings
	};
	// How many texts a value may have that SQL holds for one: 1.0 and 1.00.
	enum class Texts : std::uint8_t { one, several_of_zero, several };

	ValueSource source;
	How how = How::output;
	Texts texts = Texts::several;
	FmgrInfo output;

	// Whether a value that is held already may be held with another text.
	bool may_differ(Datum value) const
	{
		return texts != Texts::one && (texts == Texts::several || is_zero(value));
	}

private:
	bool is_zero(Datum value) const
	{
		return source.type == FLOAT4OID ? DatumGetFloat4(value) == 0 : DatumGetFloat8(value) == 0;
	}
};

// What the rendering keeps lies in `memory`.
void find_rendering(const ValueSource &source, MemoryContext memory, Rendering &rendering);

// A value's text. It lives as long as the value, the buffer and the current memory
// context.
Bytes render(Rendering &rendering, Datum value, ImageBuffer &buffer);

// Whether bytes from outside may be such a text here.
bool is_valid_text(Bytes text);

// Such a text as a value of type text, in the server's encoding.
Datum text_value(Bytes text);

}  // namespace bloomsketch
