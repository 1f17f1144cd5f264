// What stands in front of a Bloom filter's blocks: header and parameters, from
// which its geometry follows. bloom.hpp draws the whole image.
#pragma once

#include <algorithm>
#include <bit>

#include "bloom/sizing.hpp"
#include "common/known_head.hpp"

namespace bloomsketch::bloom {

inline constexpr std::size_t parameters_size = 8 + 8 + 1;
inline constexpr std::size_t largest_head = Header::fixed_size + Header::seed_size + parameters_size;
inline constexpr std::size_t largest_image = 0x3FFFFFFF - 4;  // PostgreSQL's limit and its length word

enum class Form : std::uint8_t { rest = 0, building = 1, layered = 2, collecting = 3, oversized = 4 };

// Sixteen misses at a time keep the memory busy. Below half a megabyte blocks
// are found in a core's own cache anyway.
inline constexpr std::size_t waiting_hashes = 16;
inline constexpr std::size_t tail_size = 4 + waiting_hashes * sizeof(Hash64);
inline constexpr std::size_t smallest_built_apart = std::size_t{1} << 19;

struct Parameters {
	std::uint64_t capacity = 0;
	double rate = 0;
	std::int64_t seed = 0;
	int hashes = 0;

	constexpr int block_bits_log2() const { return block_bits_log2_for(rate); }
	constexpr std::size_t block_bytes() const { return std::size_t{1} << (block_bits_log2() - 3); }
	constexpr bool operator==(const Parameters &) const = default;

	// As they are written, in parameters_size bytes behind the header.
	void read(const std::uint8_t *from, std::int64_t seed_of_header)
	{
		capacity = load_le<std::uint64_t>(from);
		rate = std::bit_cast<double>(load_le<std::uint64_t>(from + 8));
		hashes = from[16];
		seed = seed_of_header;
	}
	bool are_valid() const
	{
		return capacity > 0 && capacity <= INT64_MAX && is_valid_rate(rate) && hashes >= 1 && hashes <= max_hashes;
	}
};

// What stands in front of the blocks.
struct Head {
	Header header;
	Parameters parameters;
	std::uint64_t blocks = 0;

	// Reads the head of an image of so many bytes, of which only the first ones need
	// be there, as far as possible largest_head.
	Malformed read(Bytes first, std::size_t image_size)
	{
		header.sketch = SketchKind::bloom;
		if (const Malformed reason = header.read(first); reason != Malformed::no)
			return reason;
		if (header.form > static_cast<unsigned>(Form::building))
			return Malformed::unknown_form;
		if (image_size == header.size())
			return header.seed == 0 && !is_building() ? Malformed::no : Malformed::bad_parameters;
		if (first.size() < size())
			return Malformed::too_short;
		parameters.read(first.data() + header.size(), header.seed);
		return check_geometry(image_size);
	}

	bool is_parameterless() const { return blocks == 0; }
	bool is_building() const { return header.form == static_cast<unsigned>(Form::building); }
	std::size_t size() const { return header.size() + parameters_size; }
	std::size_t body_size() const { return static_cast<std::size_t>(blocks) * parameters.block_bytes(); }

	// Where in the image a value's block begins, and whether that holds its bits.
	std::size_t block_offset(Hash64 hash) const
	{
		return size() + static_cast<std::size_t>(block_of(hash, blocks)) * parameters.block_bytes();
	}
	bool block_contains(const std::uint8_t *block, Hash64 hash) const
	{
		return bloom::block_contains(block, hash, parameters.hashes, parameters.block_bits_log2());
	}

private:
	Malformed check_geometry(std::size_t image_size)
	{
		if (!parameters.are_valid())
			return Malformed::bad_parameters;
		const std::size_t around = size() + (is_building() ? tail_size : 0);
		if (image_size <= around)
			return Malformed::wrong_length;
		const std::size_t body = image_size - around;
		if ((body & (parameters.block_bytes() - 1)) != 0)
			return Malformed::wrong_length;
		blocks = body >> (parameters.block_bits_log2() - 3);
		return Malformed::no;
	}
};

using KnownHead = bloomsketch::KnownHead<Head, largest_head - Header::seed_size>;

}  // namespace bloomsketch::bloom
