// The header that every stored sketch begins with, behind PostgreSQL's own
// length word. As few bytes as possible, since most stored sketches are small:
//
//   byte 0   sketch kind (high nibble), format version (low nibble)
//   byte 1   hash family (high nibble), bit 3: a seed follows, bits 0..2: form
//   byte 2   kind of value (value_kind.hpp); 0 while no value was added
//   8 bytes  seed, little-endian, only if bit 3 of byte 1 is set; never 0
//
// Behind it come the sketch's own parameters and its body. `form` is each
// sketch's own: which of its layouts the body has.
#pragma once

#include "common/bytes.hpp"
#include "common/malformed.hpp"
#include "common/value_kind.hpp"

namespace bloomsketch {

enum class SketchKind : std::uint8_t { hll = 1, bloom = 2, counting_bloom = 3, cuckoo = 4, cms = 5, topk = 6 };

inline constexpr std::uint8_t format_version = 1;
inline constexpr std::uint8_t hash_family_xxh3_64 = 1;

struct Header {
	static constexpr std::size_t fixed_size = 3;
	static constexpr std::size_t seed_size = 8;
	static constexpr unsigned form_mask = 0x07;
	static constexpr unsigned seed_flag = 0x08;

	SketchKind sketch{};
	std::uint8_t form = 0;
	ValueKind kind;
	std::int64_t seed = 0;

	constexpr std::size_t size() const { return fixed_size + (seed != 0 ? seed_size : 0); }

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		to[0] = static_cast<std::uint8_t>(static_cast<unsigned>(sketch) << 4 | format_version);
		to[1] = static_cast<std::uint8_t>(hash_family_xxh3_64 << 4 | (seed != 0 ? seed_flag : 0) | form);
		to[2] = kind.code;
		if (seed != 0)
			store_le(to + fixed_size, static_cast<std::uint64_t>(seed));
	}

	// Single fields of an image that begins with a header.
	static ValueKind kind_at(const std::uint8_t *image) { return ValueKind(image[2]); }
	static void set_kind(std::uint8_t *image, ValueKind kind) { image[2] = kind.code; }
	static unsigned form_at(const std::uint8_t *image) { return image[1] & form_mask; }

	// Fills everything but `sketch`, which says what is expected.
	Malformed read(Bytes from)
	{
		if (from.size() < fixed_size)
			return Malformed::too_short;
		if (from[0] >> 4 != static_cast<unsigned>(sketch))
			return Malformed::other_sketch;
		if ((from[0] & 0x0F) != format_version)
			return Malformed::unknown_version;
		if (from[1] >> 4 != hash_family_xxh3_64)
			return Malformed::unknown_hash_family;
		form = from[1] & form_mask;
		kind = ValueKind(from[2]);
		if (!kind.is_known())
			return Malformed::unknown_value_kind;
		seed = 0;
		if ((from[1] & seed_flag) == 0)
			return Malformed::no;
		if (from.size() < fixed_size + seed_size)
			return Malformed::too_short;
		seed = static_cast<std::int64_t>(load_le<std::uint64_t>(from.data() + fixed_size));
		return seed == 0 ? Malformed::zero_seed : Malformed::no;
	}
};

}  // namespace bloomsketch
