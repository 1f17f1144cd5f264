// Filters that are larger than they will stay: form 4, what an aggregate turns to when
// there are too many hashes to keep. At the end the number of values is estimated from
// the bits, and the filter is folded: block j of N / d is the union of the d blocks
// j d .. j d + d - 1 of N, for any divisor d, exactly as if it had been built so small,
// since floor(floor(h N / 2^64) / d) = floor(h (N / d) / 2^64).
//
// N = 720,720, the least common multiple of 1 .. 16, has 240 divisors, and 83,160 for
// large blocks 128, with 1 .. 12 among them. So 3,000,000 values and more find a size at
// most 1.5 times the one they need: from 2 on, divisors next to each other differ by no
// more. A layer is full at what half of its blocks hold. It is full even earlier, at what they hold at a share of the rate:
// another layer follows it then, and all rates add up. With these multiples of N and
// shares of the rate, sizes stay below 1.5 times the fixed filter's up to 100,000,000
// values at 1 %.
//
//   multiple of N          1      2      6      12
//   share of the rate      0.2    0.3    0.25   0.25
//   MB at 1 %              46     92     277    554
//   full at 1 %, millions  13     28     75     150
#pragma once

#include "bloom/growing.hpp"

namespace bloomsketch::bloom {

struct OversizedStep {
	std::uint64_t multiple;
	double share;
};
inline constexpr std::array<OversizedStep, 4> oversized_steps = {{{1, 0.2}, {2, 0.3}, {6, 0.25}, {12, 0.25}}};

// 46 and 43 MB.
inline constexpr std::uint64_t composite_small_blocks = 720'720;
inline constexpr std::uint64_t composite_large_blocks = 83'160;

// The most values that so many blocks keep a rate for.
inline std::uint64_t most_values_for(std::uint64_t blocks, double rate, int hashes, int block_bits_log2)
{
	std::uint64_t low = 0, high = blocks << block_bits_log2;
	while (low < high) {
		const std::uint64_t middle = low + (high - low + 1) / 2;
		if (detail::keeps_promise(middle, rate, blocks, hashes, block_bits_log2))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

// An oversized layer: `unit` times the step's multiple of blocks.
inline Layer oversized_layer(double target, std::uint64_t unit, const OversizedStep &step)
{
	const int log2 = block_bits_log2_for(target), hashes = detail::classic_hashes(target);
	const std::uint64_t blocks = unit * step.multiple;
	return {most_values_for(blocks / 2, step.share * target, hashes, log2), 0, blocks, hashes, log2, 0};
}

// The first one, for more than `least` values. At low rates one unit would be full at
// once.
inline Layer first_oversized_layer(double target, std::uint64_t least)
{
	const bool is_small = block_bits_log2_for(target) == small_block_bits_log2;
	std::uint64_t unit = is_small ? composite_small_blocks : composite_large_blocks;
	for (;; unit *= 2)
		if (const Layer layer = oversized_layer(target, unit, oversized_steps[0]); layer.capacity > least + least / 4)
			return layer;
}

// The layer that an oversized filter grows by: the step behind that of its largest
// layer. 0 blocks where there is none.
inline Layer next_oversized_layer(const LayersHead &head)
{
	std::uint64_t unit = head.layers[0].blocks, largest = 0;
	for (std::size_t i = 0; i < head.count; ++i) {
		unit = std::min(unit, head.layers[i].blocks);
		largest = std::max(largest, head.layers[i].blocks);
	}
	for (const OversizedStep &step : oversized_steps)
		if (unit * step.multiple > largest)
			return oversized_layer(head.target, unit, step);
	return {};
}

template <class Allocate>
Growth add_oversized(MutableBytes &image, Hash64 hash, Allocate allocate)
{
	return add_to_layers(image, hash, next_oversized_layer, allocate);
}

namespace detail {

inline void unite_bytes(std::uint8_t *__restrict into, const std::uint8_t *__restrict from, std::size_t size)
{
	for (std::size_t i = 0; i < size; ++i)
		into[i] |= from[i];
}

}  // namespace detail

// Writes the union of each `by` blocks, a divisor of their number.
inline void fold(const Layer &layer, Bytes body, std::uint64_t by, std::uint8_t *to)
{
	const std::size_t size = layer.block_bytes();
	for (std::uint64_t block = 0; block < layer.blocks; ++block) {
		if (block % (chunk_bytes / size) == 0)
			check_for_interrupts();
		std::uint8_t *into = to + static_cast<std::size_t>(block / by) * size;
		const std::uint8_t *from = body.data() + static_cast<std::size_t>(block) * size;
		if (block % by == 0)
			std::memcpy(into, from, size);
		else
			detail::unite_bytes(into, from, size);
	}
}

namespace detail {

// One layer's choice: by how much it is folded.
class Folding {
public:
	// The strongest fold that keeps the target rate by itself.
	void begin(const Layer &layer, std::uint64_t values, double target)
	{
		layer_ = layer;
		values_ = values;
		const std::uint64_t fewest = fewest_blocks(values, target, layer.hashes, layer.block_bits_log2, layer.blocks);
		by_ = fewest == 0 ? 1 : layer.blocks / fewest;
		while (layer.blocks % by_ != 0)
			--by_;
		rate_ = rate(by_);
		look_further();
	}

	std::uint64_t by() const { return by_; }
	double rate() const { return rate_; }
	bool is_folded() const { return by_ > 1; }

	// What a byte more wins by the next weaker fold.
	double gain() const
	{
		const double blocks = static_cast<double>(layer_.blocks);
		const double bytes = (blocks / static_cast<double>(next_) - blocks / static_cast<double>(by_)) * static_cast<double>(layer_.block_bytes());
		return (rate_ - next_rate_) / bytes;
	}
	void unfold()
	{
		by_ = next_;
		rate_ = next_rate_;
		look_further();
	}

private:
	void look_further()
	{
		if (by_ == 1)
			return;
		next_ = by_ - 1;
		while (layer_.blocks % next_ != 0)
			--next_;
		next_rate_ = rate(next_);
	}

	double rate(std::uint64_t by) const
	{
		const std::uint64_t blocks = layer_.blocks / by;
		const double bits = static_cast<double>(std::uint64_t{1} << layer_.block_bits_log2);
		if (is_hopeless(values_, 1 - 0x1p-20, blocks, layer_.hashes, bits))
			return 1;
		return LoadSum(values_, blocks, layer_.hashes, bits).mean();
	}

	Layer layer_;
	std::uint64_t values_ = 0;
	std::uint64_t by_ = 1;
	double rate_ = 0;
	std::uint64_t next_ = 1;
	double next_rate_ = 0;
};

using Foldings = std::array<Folding, max_layers>;

// Folds as much as the target rate allows for all layers together: each as if it were
// alone, then back where that wins most.
inline void choose_foldings(const LayersHead &head, const std::array<std::uint64_t, max_layers> &values, Foldings &foldings)
{
	double sum = 0;
	for (std::size_t i = 0; i < head.count; ++i) {
		foldings[i].begin(head.layers[i], values[i], head.target);
		sum += foldings[i].rate();
	}
	while (sum > head.target) {
		Folding *best = nullptr;
		for (std::size_t i = 0; i < head.count; ++i)
			if (foldings[i].is_folded() && (best == nullptr || foldings[i].gain() > best->gain()))
				best = &foldings[i];
		if (best == nullptr)
			return;
		best->unfold();
		sum = 0;
		for (std::size_t i = 0; i < head.count; ++i)
			sum += foldings[i].rate();
	}
}

}  // namespace detail

// The filter at rest of what an oversized one holds.
template <class Allocate>
MutableBytes fold_to_rest(const Layered &filter, Allocate allocate)
{
	LayersHead head = filter.head();
	std::array<std::uint64_t, max_layers> values;
	for (std::size_t i = 0; i < head.count; ++i) {
		const double items = measure_layer(filter.layer(i), filter.body(i)).items();
		values[i] = static_cast<std::uint64_t>(std::max(1.0, std::round(items)));
	}
	detail::Foldings foldings;
	detail::choose_foldings(head, values, foldings);
	for (std::size_t i = 0; i < head.count; ++i) {
		head.layers[i].blocks /= foldings[i].by();
		head.layers[i].capacity = head.layers[i].added = values[i];
	}
	head.header.form = static_cast<std::uint8_t>(Form::layered);
	const MutableBytes image = allocate(head.lay_out());
	head.write(image.data());
	for (std::size_t i = 0; i < head.count; ++i)
		fold(filter.layer(i), filter.body(i), foldings[i].by(), image.data() + head.layers[i].offset);
	return image;
}

namespace detail {

// The number of values that two layers of one shape hold together.
inline double items_together(const Layer &layer, Bytes a, Bytes b)
{
	Fill fill(layer.hashes, layer.block_bits_log2);
	std::array<std::uint8_t, std::size_t{1} << (large_block_bits_log2 - 3)> both;
	const std::size_t size = layer.block_bytes();
	for (std::size_t at = 0; at < a.size(); at += size) {
		if (at % chunk_bytes == 0)
			check_for_interrupts();
		for (std::size_t i = 0; i < size; ++i)
			both[i] = a[at + i] | b[at + i];
		fill.add(count_bits(both.data(), size));
	}
	return fill.items();
}

// Takes a layer over into one of the same shape that has room for its values, too.
inline bool unite_layer(MutableBytes image, LayersHead &head, const Layer &layer, Bytes body)
{
	for (std::size_t i = 0; i < head.count; ++i) {
		Layer &into = head.layers[i];
		const MutableBytes blocks = image.subspan(into.offset, into.body_size());
		if (!into.is_shaped_as(layer))
			continue;
		const double items = items_together(layer, blocks, body);
		if (items > static_cast<double>(into.capacity))
			continue;
		for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
			check_for_interrupts();
			unite_bytes(blocks.data() + at, body.data() + at, std::min(chunk_bytes, body.size() - at));
		}
		into.added = static_cast<std::uint64_t>(std::max(1.0, std::round(items)));
		store_le(image.data() + head.added_offset(i), into.added);
		return true;
	}
	return false;
}

}  // namespace detail

// Takes over what another oversized filter of the same target holds.
template <class Allocate>
Growth unite_oversized(MutableBytes &image, const Layered &other, Allocate allocate)
{
	Layered filter;
	Layered::open(image, filter);
	LayersHead head = filter.head();
	LayerParts parts(filter);
	for (std::size_t i = 0; i < other.layers(); ++i)
		if (!detail::unite_layer(image, head, other.layer(i), other.body(i)) &&
		    !parts.append(other.layer(i), other.body(i)))
			return Growth::too_many_layers;
	if (parts.head.count == head.count)
		return Growth::done;
	std::copy_n(head.layers.begin(), head.count, parts.head.layers.begin());
	if (parts.image_size() > largest_image)
		return Growth::too_large;
	image = write_layers(parts, Form::oversized, allocate);
	return Growth::done;
}

}  // namespace bloomsketch::bloom
