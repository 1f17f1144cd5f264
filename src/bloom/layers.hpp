// What stands in front of the blocks of a filter in layers: header, target rate and
// a description of each layer, from which all geometry follows.
//
//   header     3 bytes, 11 with a seed (common/header.hpp)
//   target     8 bytes, IEEE 754 little-endian: the rate of all layers together,
//              in (0, 1)
//   layers     1 byte, 1..16
//   then for each layer 26 bytes, numbers little-endian:
//     capacity   8 bytes: distinct values it was made for, at least 1
//     added      8 bytes: values that went into it, at least 1
//     blocks     8 bytes
//     hashes     1 byte: bits per value, 1..64
//     block size 1 byte: log2 of a block's bits, 9 or 12
//
// and behind them the layers' blocks, one layer after another. Form 2 is that at
// rest (layered.hpp), form 4 the same with layers larger than they will stay
// (oversized.hpp).
#pragma once

#include <array>

#include "bloom/fill.hpp"
#include "bloom/head.hpp"

namespace bloomsketch::bloom {

inline constexpr std::size_t max_layers = 16;
inline constexpr std::size_t layer_size = 8 + 8 + 8 + 1 + 1;
inline constexpr std::size_t largest_layers_head = Header::fixed_size + Header::seed_size + 8 + 1 + max_layers * layer_size;

struct Layer {
	std::uint64_t capacity = 0;
	std::uint64_t added = 0;
	std::uint64_t blocks = 0;
	int hashes = 0;
	int block_bits_log2 = small_block_bits_log2;
	std::size_t offset = 0;  // in the image, of its blocks

	std::size_t block_bytes() const { return std::size_t{1} << (block_bits_log2 - 3); }
	std::size_t body_size() const { return static_cast<std::size_t>(blocks) * block_bytes(); }
	std::uint64_t bits() const { return blocks << block_bits_log2; }
	bool has_room() const { return added < capacity; }

	// Whether a value has the same bits in both.
	bool is_shaped_as(const Layer &other) const
	{
		return blocks == other.blocks && hashes == other.hashes && block_bits_log2 == other.block_bits_log2;
	}

	std::size_t block_offset(Hash64 hash) const
	{
		return offset + static_cast<std::size_t>(block_of(hash, blocks)) * block_bytes();
	}
	bool block_contains(const std::uint8_t *block, Hash64 hash) const
	{
		return bloom::block_contains(block, hash, hashes, block_bits_log2);
	}
};

struct LayersHead {
	Header header;
	double target = 0;
	std::size_t count = 0;
	std::array<Layer, max_layers> layers;

	static std::size_t size_with(std::size_t header_size, std::size_t count)
	{
		return header_size + 8 + 1 + count * layer_size;
	}
	std::size_t size() const { return size_with(header.size(), count); }

	// Reads the head of an image of so many bytes, of which only the first ones need
	// be there, as far as possible largest_layers_head.
	Malformed read(Bytes first, std::size_t image_size)
	{
		header.sketch = SketchKind::bloom;
		if (const Malformed reason = header.read(first); reason != Malformed::no)
			return reason;
		if (!is_in_layers(header.form))
			return Malformed::unknown_form;
		if (first.size() < size_with(header.size(), 0))
			return Malformed::too_short;
		const std::uint8_t *from = first.data() + header.size();
		target = std::bit_cast<double>(load_le<std::uint64_t>(from));
		count = from[8];
		if (!is_valid_rate(target) || count < 1 || count > max_layers)
			return Malformed::bad_parameters;
		if (first.size() < size())
			return Malformed::too_short;
		return read_layers(from + 9, image_size);
	}

	// Writes size() bytes.
	void write(std::uint8_t *to) const
	{
		header.write(to);
		to += header.size();
		store_le(to, std::bit_cast<std::uint64_t>(target));
		to[8] = static_cast<std::uint8_t>(count);
		to += 9;
		for (std::size_t i = 0; i < count; ++i, to += layer_size) {
			store_le(to, layers[i].capacity);
			store_le(to + 8, layers[i].added);
			store_le(to + 16, layers[i].blocks);
			to[24] = static_cast<std::uint8_t>(layers[i].hashes);
			to[25] = static_cast<std::uint8_t>(layers[i].block_bits_log2);
		}
	}

	// Where in the image the number of values added to a layer stands.
	std::size_t added_offset(std::size_t layer) const { return size_with(header.size(), layer) + 8; }

	// Lays the blocks out behind the head; the image's size.
	std::size_t lay_out()
	{
		std::size_t end = size();
		for (std::size_t i = 0; i < count; ++i) {
			layers[i].offset = end;
			end += layers[i].body_size();
		}
		return end;
	}

	std::uint64_t largest_capacity() const
	{
		std::uint64_t largest = 0;
		for (std::size_t i = 0; i < count; ++i)
			largest = std::max(largest, layers[i].capacity);
		return largest;
	}

	static bool is_in_layers(unsigned form)
	{
		return form == static_cast<unsigned>(Form::layered) || form == static_cast<unsigned>(Form::oversized);
	}

private:
	Malformed read_layers(const std::uint8_t *from, std::size_t image_size)
	{
		std::size_t end = size();
		for (std::size_t i = 0; i < count; ++i, from += layer_size) {
			Layer &layer = layers[i];
			layer.capacity = load_le<std::uint64_t>(from);
			layer.added = load_le<std::uint64_t>(from + 8);
			layer.blocks = load_le<std::uint64_t>(from + 16);
			layer.hashes = from[24];
			layer.block_bits_log2 = from[25];
			layer.offset = end;
			if (!is_possible(layer))
				return Malformed::bad_parameters;
			if (layer.blocks > (image_size - std::min(end, image_size)) / layer.block_bytes())
				return Malformed::wrong_length;
			end += layer.body_size();
		}
		return end == image_size ? Malformed::no : Malformed::wrong_length;
	}

	static bool is_possible(const Layer &layer)
	{
		return layer.capacity >= 1 && layer.capacity <= INT64_MAX && layer.added >= 1 && layer.added <= INT64_MAX &&
		       layer.blocks >= 1 && layer.hashes >= 1 && layer.hashes <= max_hashes &&
		       (layer.block_bits_log2 == small_block_bits_log2 || layer.block_bits_log2 == large_block_bits_log2);
	}
};

}  // namespace bloomsketch::bloom
