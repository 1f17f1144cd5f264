// Images of values that hold other values: each part is its length in four
// bytes and its own image, NULL the length 0xFFFFFFFF alone.
#pragma once

#include "common/value_pg.hpp"

namespace bloomsketch {

// Hashes an image while it is made. Only parts that are still open are kept, so
// a value of a gigabyte takes no more memory than its largest part.
class ImageHasher {
public:
	explicit ImageHasher(std::int64_t seed)
	{
		initStringInfo(&pending_);
		XXH3_64bits_reset_withSeed(&stream_, static_cast<XXH64_hash_t>(seed));
	}

	void append(Bytes bytes);
	void append_byte(std::uint8_t byte) { append({&byte, 1}); }
	void append_word32(std::uint32_t word)
	{
		std::uint8_t image[sizeof(word)];
		store_le(image, word);
		append({image, sizeof(image)});
	}
	void append_part(Bytes image)
	{
		append_word32(static_cast<std::uint32_t>(image.size()));
		append(image);
	}
	void append_part(const ValueSource &source, Datum value, bool is_null);

	// The image of a value, without a length.
	void append_value(const ValueSource &source, Datum value);

	Hash64 hash() const { return XXH3_64bits_digest(&stream_); }

private:
	XXH3_state_t stream_;
	StringInfoData pending_;  // what begins with the first open part
	int open_parts_ = 0;
};

// Memory for one part at a time: whatever making a part allocates is gone with
// the next one.
class PartMemory {
public:
	PartMemory() : memory_(AllocSetContextCreate(CurrentMemoryContext, "sketch value part", ALLOCSET_SMALL_SIZES)) {}

	template <class Use>
	void use(Use use) const
	{
		MemoryContext before = MemoryContextSwitchTo(memory_);
		use();
		MemoryContextSwitchTo(before);
		MemoryContextReset(memory_);
	}
	void release() const { MemoryContextDelete(memory_); }

private:
	MemoryContext memory_;
};

bool is_container(const ValueSource &source);

// Each appends the image of a value of one kind of container.
void append_array(ImageHasher &image, Datum value);
void append_range(ImageHasher &image, Datum value);
void append_multirange(ImageHasher &image, Datum value);
void append_record(ImageHasher &image, Datum value);
void append_jsonb(ImageHasher &image, Datum value);

// Whether text is its own image: in UTF-8, or SQL_ASCII, which is taken as it lies.
inline bool is_utf8_server()
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
}

// Text in UTF-8, whatever the server encoding.
Bytes utf8_image(const char *text, std::size_t length);
Bytes numeric_image(Datum value);

}  // namespace bloomsketch
