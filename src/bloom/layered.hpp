// A Bloom filter in layers: one that sized itself or was united with such, and that
// grows (scalable Bloom filters: Almeida, Baquero, Preguica, Hutchison 2007). A value
// is in it if it is in any of its layers, so that their rates add up.
//
// layers.hpp draws the image. Every layer holds a value. Limits: 16 layers, an image
// below 1 GB.
#pragma once

#include "bloom/layers.hpp"

namespace bloomsketch::bloom {

// A filter in layers to read, at rest or oversized.
class Layered {
public:
	static constexpr const char *type_name = "bloom";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Layered &filter)
	{
		filter.image_ = image;
		return filter.head_.read(image, image.size());
	}

	// Checks what open() leaves: no layer without a bit.
	Malformed check() const
	{
		for (std::size_t i = 0; i < layers(); ++i) {
			const Bytes bits = body(i);
			if (std::none_of(bits.begin(), bits.end(), [](std::uint8_t byte) { return byte != 0; }))
				return Malformed::not_canonical;
		}
		return kind().is_none() ? Malformed::not_canonical : Malformed::no;
	}

	const LayersHead &head() const { return head_; }
	Bytes image() const { return image_; }
	bool is_oversized() const { return head_.header.form == static_cast<unsigned>(Form::oversized); }
	ValueKind kind() const { return head_.header.kind; }
	std::int64_t seed() const { return head_.header.seed; }
	double target() const { return head_.target; }
	std::size_t layers() const { return head_.count; }
	const Layer &layer(std::size_t i) const { return head_.layers[i]; }
	Bytes body(std::size_t i) const { return image_.subspan(layer(i).offset, layer(i).body_size()); }

	bool layer_contains(std::size_t i, Hash64 hash) const
	{
		return layer(i).block_contains(image_.data() + layer(i).block_offset(hash), hash);
	}

	// The last layers are the largest.
	bool contains(Hash64 hash) const
	{
		for (std::size_t i = layers(); i-- > 0;)
			if (layer_contains(i, hash))
				return true;
		return false;
	}

private:
	Bytes image_;
	LayersHead head_;
};

// Counts the bits that are set in the blocks of a layer.
inline Fill measure_layer(const Layer &layer, Bytes body)
{
	Fill fill(layer.hashes, layer.block_bits_log2);
	const std::size_t size = layer.block_bytes();
	for (std::size_t at = 0; at < body.size(); at += size) {
		if (at % chunk_bytes == 0)
			check_for_interrupts();
		fill.add(count_bits(body.data() + at, size));
	}
	return fill;
}

// What the bits of all layers say. A value is counted once in the layer that it is in;
// layers of filters that were united may hold it more than once.
struct LayersFill {
	explicit LayersFill(const Layered &filter)
	{
		double misses = 1;
		for (std::size_t i = 0; i < filter.layers(); ++i) {
			const Fill fill = measure_layer(filter.layer(i), filter.body(i));
			misses *= 1 - fill.expected_rate();
			items += fill.items();
			bits += filter.layer(i).bits();
			bits_set += fill.bits_set();
			capacity += static_cast<double>(filter.layer(i).capacity);
			tells_items = tells_items && fill.tells_items();
		}
		expected_rate = std::min(1 - misses, 1.0);
	}

	double expected_rate = 0;
	double items = 0;
	double capacity = 0;
	std::uint64_t bits = 0;
	std::uint64_t bits_set = 0;
	bool tells_items = true;
};

// Why two filters in layers can't be united, if they can't.
enum class LayersMismatch { none, target, seed, kind };

inline LayersMismatch compare(const Layered &a, const Layered &b)
{
	if (a.seed() != b.seed())
		return LayersMismatch::seed;
	if (a.target() != b.target())
		return LayersMismatch::target;
	return a.kind().agrees_with(b.kind()) ? LayersMismatch::none : LayersMismatch::kind;
}

}  // namespace bloomsketch::bloom
