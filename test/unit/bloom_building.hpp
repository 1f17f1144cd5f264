// What bloom_pg.cpp does with the core, without PostgreSQL: build, unite, bring
// to rest, accept.
#pragma once

#include <optional>

#include "bloom/state.hpp"
#include "image.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind bloom_test_kind{ValueType::integer};

// An empty optional where the bytes are no filter.
inline std::optional<bloom::Filter> open_bloom(Bytes image)
{
	bloom::Filter filter;
	if (bloom::Filter::open(image, filter) != Malformed::no)
		return std::nullopt;
	return filter;
}

// A filter of the size that its capacity and rate ask for, or of any other.
class BloomBuilding {
public:
	BloomBuilding(std::uint64_t capacity, double rate, std::int64_t seed = 0, bloom::Form form = bloom::Form::rest)
	{
		const bloom::Sizing sizing = bloom::size_for(capacity, rate, bloom::State::most_blocks(rate));
		create({capacity, rate, seed, sizing.hashes}, sizing.blocks, form);
	}
	BloomBuilding(const bloom::Parameters &parameters, std::uint64_t blocks, bloom::Form form = bloom::Form::rest)
	{
		create(parameters, blocks, form);
	}
	BloomBuilding(const BloomBuilding &) = delete;
	BloomBuilding(BloomBuilding &&) = default;

	void add(Hash64 hash)
	{
		state_.set_kind(bloom_test_kind);
		state_.add(hash);
	}

	const Image &image() const { return image_; }
	bloom::Filter filter() const { return *open_bloom(image_); }

private:
	static constexpr std::uint8_t junk = 0xA5;  // create() has to overwrite it

	void create(const bloom::Parameters &parameters, std::uint64_t blocks, bloom::Form form)
	{
		image_.assign(bloom::State::image_size(parameters, blocks, form), junk);
		state_ = bloom::State::create(image_, form, parameters, {});
	}

	Image image_;
	bloom::State state_;
};

// The image at rest.
inline Image store_bloom(Bytes image)
{
	const bloom::Filter filter = *open_bloom(image);
	if (!filter.is_building())
		return Image(image.begin(), image.end());
	Image rest(bloom::State::image_size(filter.parameters(), filter.blocks()), 0xA5);
	bloom::State::create_at_rest(rest, filter);
	return rest;
}

// An image, in the form of the first, with what both hold; they must agree in
// everything.
inline Image unite_bloom(Bytes a, Bytes b)
{
	const bloom::Filter first = *open_bloom(a), second = *open_bloom(b);
	if (first.is_parameterless())
		return Image(b.begin(), b.end());
	Image both(a.begin(), a.end());
	if (second.is_parameterless())
		return both;
	bloom::State state;
	if (!bloom::State::open(both, state))
		return {};
	state.begin_merge(second);
	const std::size_t middle = second.body().size() / 3;
	state.merge(second, 0, middle);
	state.merge(second, middle, second.body().size());
	return both;
}

// The canonical image of bytes from outside; none where they are no filter.
inline std::optional<Image> accept_bloom(Bytes bytes)
{
	const std::optional<bloom::Filter> filter = open_bloom(bytes);
	if (!filter || filter->check() != Malformed::no)
		return std::nullopt;
	return store_bloom(bytes);
}

// What all blocks say.
inline bloom::Fill measure_bloom(const bloom::Filter &filter)
{
	bloom::Fill fill(filter.parameters().hashes, filter.parameters().block_bits_log2());
	filter.measure(0, filter.blocks(), fill);
	return fill;
}

inline double expected_rate(const bloom::Filter &filter)
{
	return measure_bloom(filter).expected_rate();
}

}  // namespace bloomsketch::test
