// What stands in front of a counting filter's blocks: header and parameters, as a
// Bloom filter has them, and how many blocks there are. counting_bloom.hpp draws the
// whole image.
#pragma once

#include <bit>

#include "bloom/head.hpp"

namespace bloomsketch::counting_bloom {

using bloom::Parameters;

inline constexpr std::size_t parameters_size = bloom::parameters_size + 4;
inline constexpr std::size_t largest_head = Header::fixed_size + Header::seed_size + parameters_size;

enum class Form : std::uint8_t { rest = 0, working = 1 };

// While working, a value waits until its counters have come from memory: sixteen misses
// at a time keep that busy.
inline constexpr std::size_t waiting_hashes = 16;
inline constexpr std::size_t tail_size = 4 + waiting_hashes * sizeof(Hash64);

// What a block takes, for each byte of its bits: 8 counters of 4 bits while working,
// and at rest those at most, and the bits in front of them.
inline constexpr std::size_t working_factor = 4;
inline constexpr std::size_t rest_factor = 1 + working_factor;
inline constexpr std::size_t entry_size = sizeof(std::uint32_t);  // of the directory

// The most blocks for which every filter, in either form and whatever its counters,
// has an image that PostgreSQL takes.
constexpr std::uint64_t most_blocks(double rate)
{
	const std::size_t block_bytes = std::size_t{1} << (bloom::block_bits_log2_for(rate) - 3);
	return (bloom::largest_image - largest_head) / (rest_factor * block_bytes + entry_size);
}

struct Head {
	Header header;
	Parameters parameters;
	std::uint64_t blocks = 0;

	// Reads the head of an image of so many bytes, of which only the first ones need
	// be there, as far as possible largest_head.
	Malformed read(Bytes first, std::size_t image_size)
	{
		header.sketch = SketchKind::counting_bloom;
		if (const Malformed reason = header.read(first); reason != Malformed::no)
			return reason;
		if (header.form > static_cast<unsigned>(Form::working))
			return Malformed::unknown_form;
		if (image_size == header.size())
			return header.seed == 0 && !is_working() ? Malformed::no : Malformed::bad_parameters;
		if (first.size() < size())
			return Malformed::too_short;
		parameters.read(first.data() + header.size(), header.seed);
		blocks = load_le<std::uint32_t>(first.data() + header.size() + bloom::parameters_size);
		return check_geometry(image_size);
	}

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		header.write(to);
		to += header.size();
		store_le(to, parameters.capacity);
		store_le(to + 8, std::bit_cast<std::uint64_t>(parameters.rate));
		to[16] = static_cast<std::uint8_t>(parameters.hashes);
		store_le(to + bloom::parameters_size, static_cast<std::uint32_t>(blocks));
	}

	bool is_parameterless() const { return blocks == 0; }
	bool is_working() const { return header.form == static_cast<unsigned>(Form::working); }
	std::size_t size() const { return header.size() + parameters_size; }
	std::uint64_t block_of(Hash64 hash) const { return bloom::block_of(hash, blocks); }

	// Where in an image at rest the bits of a block are, then the directory, then what
	// it tells the places of.
	std::size_t bits_offset(std::uint64_t block) const
	{
		return size() + static_cast<std::size_t>(block) * parameters.block_bytes();
	}
	std::size_t directory_offset() const { return bits_offset(blocks); }
	std::size_t excess_offset() const { return directory_offset() + static_cast<std::size_t>(blocks) * entry_size; }

	std::size_t working_block_bytes() const { return working_factor * parameters.block_bytes(); }
	std::size_t tail_offset() const { return size() + static_cast<std::size_t>(blocks) * working_block_bytes(); }
	std::size_t working_size() const { return tail_offset() + tail_size; }

private:
	Malformed check_geometry(std::size_t image_size) const
	{
		if (!parameters.are_valid() || blocks == 0 || blocks > most_blocks(parameters.rate))
			return Malformed::bad_parameters;
		const bool fits = is_working() ? image_size == working_size() : image_size >= excess_offset();
		return fits ? Malformed::no : Malformed::wrong_length;
	}
};

using KnownHead = bloomsketch::KnownHead<Head, largest_head - Header::seed_size>;

}  // namespace bloomsketch::counting_bloom
