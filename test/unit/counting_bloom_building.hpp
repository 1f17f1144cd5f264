// Counting filters built with memory of their own, for tests: what the _pg files do
// with the core, with an allocator that hands out junk, which the core has to
// overwrite.
#pragma once

#include <optional>

#include "counting_bloom/edit.hpp"
#include "counting_bloom/store.hpp"
#include "image.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind counting_test_kind{ValueType::integer};

// Gives the image that was asked for last.
class CountingMemory {
public:
	auto allocator()
	{
		return [this](std::size_t size) -> MutableBytes {
			image_.assign(size, 0xA5);
			return image_;
		};
	}
	const Image &image() const { return image_; }

private:
	Image image_;
};

// An empty optional where the bytes are no filter.
inline std::optional<counting_bloom::Filter> open_counting(Bytes image)
{
	counting_bloom::Filter filter;
	if (counting_bloom::Filter::open(image, filter) != Malformed::no)
		return std::nullopt;
	return filter;
}

// A filter in the form for building, of the size that its capacity and rate ask for, or
// of any other.
class CountingBuilding {
public:
	CountingBuilding(std::uint64_t capacity, double rate, std::int64_t seed = 0)
	{
		const bloom::Sizing sizing = bloom::size_for(capacity, rate, counting_bloom::most_blocks(rate));
		create({capacity, rate, seed, sizing.hashes}, sizing.blocks);
	}
	CountingBuilding(const bloom::Parameters &parameters, std::uint64_t blocks) { create(parameters, blocks); }
	CountingBuilding(const CountingBuilding &) = delete;
	CountingBuilding(CountingBuilding &&) = default;

	void add(Hash64 hash)
	{
		state_.set_kind(counting_test_kind);
		state_.add(hash);
	}

	const Image &image() const { return image_; }
	counting_bloom::Filter filter() const { return *open_counting(image_); }
	counting_bloom::State &state() { return state_; }

	Image stored() const
	{
		CountingMemory memory;
		counting_bloom::store(filter(), memory.allocator());
		return memory.image();
	}

private:
	void create(const bloom::Parameters &parameters, std::uint64_t blocks)
	{
		image_.assign(counting_bloom::State::image_size(parameters, blocks), 0xA5);
		state_ = counting_bloom::State::create(image_, parameters, blocks, {});
	}

	Image image_;
	counting_bloom::State state_;
};

// The image at rest.
inline Image store_counting(Bytes image)
{
	CountingMemory memory;
	const Bytes rest = counting_bloom::at_rest(image, memory.allocator());
	return {rest.begin(), rest.end()};
}

// The canonical image of bytes from outside; none where they are no filter.
inline std::optional<Image> accept_counting(Bytes bytes)
{
	CountingMemory memory;
	MutableBytes stored;
	if (counting_bloom::accept(bytes, stored, memory.allocator()) != Malformed::no)
		return std::nullopt;
	return memory.image();
}

// The working image of what both hold; they must agree in everything.
inline Image unite_counting(Bytes a, Bytes b)
{
	const counting_bloom::Filter first = *open_counting(a), second = *open_counting(b);
	if (first.is_parameterless())
		return {b.begin(), b.end()};
	if (second.is_parameterless())
		return {a.begin(), a.end()};
	CountingMemory memory;
	counting_bloom::State state;
	if (counting_bloom::copy(first, state, memory.allocator()) != Malformed::no || state.merge(second) != Malformed::no)
		return {};
	return memory.image();
}

// Filters at rest with one copy of a value more, or less; none where it is certainly
// not there.
inline Image add_counting(Bytes image, Hash64 hash)
{
	counting_bloom::Edit edit;
	if (counting_bloom::Edit::open(*open_counting(image), hash, edit) != Malformed::no)
		return {};
	edit.add(counting_test_kind);
	Image more(edit.size(), 0xA5);
	edit.write(more);
	return more;
}

inline std::optional<Image> remove_counting(Bytes image, Hash64 hash)
{
	const counting_bloom::Filter filter = *open_counting(image);
	counting_bloom::Edit edit;
	if (!filter.contains(hash) || counting_bloom::Edit::open(filter, hash, edit) != Malformed::no)
		return std::nullopt;
	edit.remove();
	Image less(edit.size(), 0xA5);
	edit.write(less);
	return less;
}

inline unsigned count_counting(Bytes image, Hash64 hash)
{
	unsigned least = ~0u;
	static_cast<void>(open_counting(image)->count(hash, least));
	return least;
}

inline std::uint64_t stuck_counting(Bytes image)
{
	std::uint64_t count = ~std::uint64_t{0};
	static_cast<void>(open_counting(image)->count_stuck(count));
	return count;
}

inline Image bloom_of_counting(Bytes image)
{
	CountingMemory memory;
	counting_bloom::bloom_of(*open_counting(image), memory.allocator());
	return memory.image();
}

}  // namespace bloomsketch::test
