// Images of values that hold other values: each part is its length in four
// bytes and its own image, NULL the length 0xFFFFFFFF alone.
#pragma once

#include "common/value_pg.hpp"

namespace bloomsketch {

// Collects an image in the current memory context.
class ImageBuilder {
public:
	ImageBuilder() { initStringInfo(&buffer_); }

	void append_byte(std::uint8_t byte) { appendStringInfoCharMacro(&buffer_, static_cast<char>(byte)); }
	void append_word32(std::uint32_t word)
	{
		std::uint8_t image[sizeof(word)];
		store_le(image, word);
		append({image, sizeof(image)});
	}
	void append(Bytes bytes)
	{
		appendBinaryStringInfo(&buffer_, reinterpret_cast<const char *>(bytes.data()), static_cast<int>(bytes.size()));
	}
	void append_part(Bytes image)
	{
		append_word32(static_cast<std::uint32_t>(image.size()));
		append(image);
	}
	void append_part(const ValueSource &source, Datum value, bool is_null)
	{
		ImageBuffer buffer;
		if (is_null)
			append_word32(0xFFFFFFFF);
		else
			append_part(value_image(source, value, buffer));
	}

	Bytes bytes() const
	{
		return {reinterpret_cast<const std::uint8_t *>(buffer_.data), static_cast<std::size_t>(buffer_.len)};
	}

private:
	StringInfoData buffer_;
};

Bytes array_image(Datum value);
Bytes range_image(Datum value);
Bytes multirange_image(Datum value);
Bytes record_image(Datum value);
Bytes jsonb_image(Datum value);

// Whether text is its own image: in UTF-8, or SQL_ASCII, which is taken as it lies.
inline bool is_utf8_server()
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
}

// Text in UTF-8, whatever the server encoding.
Bytes utf8_image(const char *text, std::size_t length);
Bytes numeric_image(Datum value);

}  // namespace bloomsketch
