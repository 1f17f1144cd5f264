// HyperLogLogs built with memory of their own, for tests: hll/building.hpp with
// an allocator that hands out junk, which the core has to overwrite.
#pragma once

#include <deque>
#include <optional>

#include "hll/building.hpp"
#include "hll/store.hpp"
#include "image.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind test_kind{ValueType::integer};

// An empty optional where the bytes are no sketch.
inline std::optional<hll::Sketch> open_hll(Bytes image)
{
	hll::Sketch sketch;
	if (hll::Sketch::open(image, sketch) != Malformed::no)
		return std::nullopt;
	return sketch;
}

class HllBuilding {
	// Only the newest image is used; the one before is read until it is filled.
	struct Allocator {
		static constexpr std::uint8_t junk = 0xA5;
		std::deque<Image> &images;

		MutableBytes operator()(std::size_t size) const
		{
			if (images.size() > 1)
				images.pop_front();
			return images.emplace_back(size, junk);
		}
	};

public:
	HllBuilding() = default;
	explicit HllBuilding(hll::Parameters parameters, ValueKind kind = {}, std::uint32_t entries = 0)
	{
		state_ = hll::create(hll::State::layout_for(parameters, entries), parameters, kind, allocator());
	}
	HllBuilding(const HllBuilding &) = delete;
	HllBuilding(HllBuilding &&) = default;

	// A working copy, at a lower precision if one is given.
	static HllBuilding copy(const hll::Sketch &sketch, int precision)
	{
		HllBuilding building;
		hll::copy(sketch, precision, building.state_, building.allocator());
		return building;
	}

	Malformed accept(Bytes bytes) { return hll::accept(bytes, state_, allocator()); }

	void add(Hash64 hash)
	{
		state_.set_kind(test_kind);
		hll::add(state_, hash, allocator());
	}

	Malformed merge(const hll::Sketch &sketch) { return hll::merge(state_, sketch, allocator()); }

	void set_kind(ValueKind kind) { state_.set_kind(kind); }

	bool is_empty() const { return state_.image().empty(); }
	Image image() const { return {state_.image().begin(), state_.image().end()}; }
	hll::Sketch sketch() const { return state_.read(); }
	const hll::State &state() const { return state_; }

private:
	Allocator allocator() { return {images_}; }

	std::deque<Image> images_;
	hll::State state_;
};

// The image at rest. Empty if writing it left a byte out or went beyond it.
inline Image store_hll(const hll::Sketch &sketch)
{
	std::vector<hll::Entry> scratch(sketch.entry_count());
	const hll::StoredForm form(sketch, scratch);
	Image low(form.size()), high(form.size(), 0xFF);
	form.write(low.data());
	form.write(high.data());
	return low == high ? low : Image();
}

inline Image store_hll(Bytes image)
{
	const hll::Sketch sketch = *open_hll(image);
	if (!sketch.is_parameterless())
		return store_hll(sketch);
	Image stored(hll::parameterless_size);
	hll::store_parameterless(stored.data());
	return stored;
}

inline Image reduce_hll(Bytes image, int precision)
{
	return store_hll(HllBuilding::copy(*open_hll(image), precision).sketch());
}

// A working image with what both hold; they must agree in everything.
inline Image unite_hll(Bytes a, Bytes b)
{
	const hll::Sketch first = *open_hll(a), second = *open_hll(b);
	if (first.is_parameterless())
		return Image(b.begin(), b.end());
	HllBuilding building = HllBuilding::copy(first, first.precision());
	building.merge(second);
	return building.image();
}

// The canonical image of bytes from outside; none where they are no sketch.
inline std::optional<Image> accept_hll(Bytes bytes)
{
	HllBuilding building;
	if (building.accept(bytes) != Malformed::no)
		return std::nullopt;
	const hll::Sketch sketch = *open_hll(bytes);
	if (sketch.is_parameterless())
		return store_hll(bytes);
	// What is accepted at rest is built anew here, to see that it is canonical.
	return store_hll(building.is_empty() ? HllBuilding::copy(sketch, sketch.precision()).sketch() : building.sketch());
}

}  // namespace bloomsketch::test
