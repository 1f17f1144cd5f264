// What the glue does with filters that size themselves or grow, without PostgreSQL.
#pragma once

#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>

#include "bloom/self_sizing.hpp"
#include "bloom_building.hpp"

namespace bloomsketch::test {

// Images, allocated to the byte each; they begin with junk.
class Arena {
public:
	MutableBytes operator()(std::size_t size)
	{
		images_.emplace_back(size, std::uint8_t{0xA5});
		return images_.back();
	}

	// Hands one of them over, and frees the others.
	Image take(MutableBytes image)
	{
		Image taken;
		for (Image &each : images_)
			if (each.data() == image.data())
				taken = std::move(each);
		images_.clear();
		return taken;
	}

private:
	std::deque<Image> images_;
};

// A state, of which outgrown images are freed.
class SizedBuilding {
public:
	explicit SizedBuilding(double rate, std::int64_t seed = 0)
	{
		Arena arena;
		image_ = arena.take(bloom::begin_collecting(bloom_test_kind, seed, rate, std::ref(arena)));
	}
	explicit SizedBuilding(Image image) : image_(std::move(image)) {}

	// An oversized filter whose first layer has so many blocks.
	static SizedBuilding oversized(double rate, std::uint64_t unit, Hash64 first, std::int64_t seed = 0)
	{
		Arena arena;
		bloom::LayerParts parts;
		parts.head.header = {SketchKind::bloom, 0, bloom_test_kind, seed};
		parts.head.target = rate;
		parts.append(bloom::oversized_layer(rate, unit, bloom::oversized_steps[0]), {});
		const MutableBytes image = bloom::write_layers(parts, bloom::Form::oversized, std::ref(arena));
		parts.head.lay_out();
		bloom::add_to_layer(image, parts.head, 0, first);
		return SizedBuilding(arena.take(image));
	}

	bloom::Growth add(Hash64 hash)
	{
		return change([&](MutableBytes &image, Arena &arena) { return bloom::add(image, hash, std::ref(arena)); });
	}
	bloom::Growth combine(Bytes other)
	{
		return change([&](MutableBytes &image, Arena &arena) { return bloom::combine(image, other, std::ref(arena)); });
	}

	const Image &image() const { return image_; }
	bloom::Form form() const { return static_cast<bloom::Form>(Header::form_at(image_.data())); }

private:
	template <class Change>
	bloom::Growth change(Change apply)
	{
		Arena arena;
		MutableBytes image = image_;
		const bloom::Growth growth = apply(image, arena);
		if (image.data() != image_.data())
			image_ = arena.take(image);
		return growth;
	}

	Image image_;
};

inline bloom::Sizing size_of(std::uint64_t capacity, double rate)
{
	return bloom::size_for(capacity, rate, bloom::State::most_blocks(rate));
}

inline Image to_image(Bytes bytes) { return Image(bytes.begin(), bytes.end()); }

// The filter at rest; no values give the parameterless one.
inline Image store_sized(Bytes image)
{
	if (!bloom::sizes_itself(image) || bloom::is_in_form(image, bloom::Form::layered))
		return to_image(image);
	bloom::Collecting table;
	if (bloom::Collecting::open(image, table) == Malformed::no && table.values() == 0)
		return from_hex("211000");
	Arena arena;
	return to_image(bloom::to_rest(image, size_of, std::ref(arena)));
}

inline std::optional<Image> accept_sized(Bytes bytes)
{
	Arena arena;
	Bytes image;
	if (bloom::accept(bytes, image, size_of, std::ref(arena)) != Malformed::no)
		return std::nullopt;
	return image.empty() ? from_hex("211000") : to_image(image);
}

inline bloom::Layered open_layered(Bytes image)
{
	bloom::Layered filter;
	if (bloom::Layered::open(image, filter) != Malformed::no)
		std::abort();
	return filter;
}

// The union of two filters at rest, or none beyond 16 layers.
inline std::optional<Image> unite_layered(Bytes a, Bytes b)
{
	Arena arena;
	Bytes image;
	if (bloom::unite(open_layered(a), open_layered(b), image, std::ref(arena)) != bloom::Growth::done)
		return std::nullopt;
	return to_image(image);
}

inline double rate_of(Bytes image) { return bloom::LayersFill(open_layered(image)).expected_rate; }

// False positives among so many values that were not added, which are below 2^40.
inline double layered_false_positives(const bloom::Layered &filter, std::uint64_t probes)
{
	constexpr std::uint64_t absent = std::uint64_t{1} << 40;
	std::uint64_t found = 0;
	for (std::uint64_t value = absent; value < absent + probes; ++value)
		found += filter.contains(hash_word(value, 0));
	return static_cast<double>(found);
}

}  // namespace bloomsketch::test
