// What hll_pg.cpp does with the core, without PostgreSQL: build, grow, unite,
// reduce, store, accept.
#pragma once

#include <optional>

#include "hll/state.hpp"
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
public:
	explicit HllBuilding(hll::Parameters parameters, ValueKind kind = {}, std::uint32_t entries = 0)
	{
		const hll::Layout layout = hll::State::layout_for(parameters, entries);
		image_.assign(layout.size, junk);
		state_ = hll::State::create(image_, layout.form, parameters, kind);
	}
	HllBuilding(const HllBuilding &) = delete;
	HllBuilding(HllBuilding &&) = default;

	// A working copy, at a lower precision if one is given.
	static HllBuilding copy(const hll::Sketch &sketch, int precision)
	{
		const std::uint32_t entries = sketch.is_sparse() ? sketch.entry_count() : hll::register_count(precision);
		HllBuilding building({precision, sketch.seed()}, sketch.kind(), entries);
		building.merge(sketch);
		return building;
	}

	void add(Hash64 hash)
	{
		state_.set_kind(test_kind);
		while (state_.add(hash) == hll::Change::no_room)
			grow();
	}

	Malformed merge(const hll::Sketch &sketch)
	{
		Malformed reason = Malformed::no;
		while (state_.merge(sketch, reason) == hll::Change::no_room)
			grow();
		if (!sketch.kind().is_none())
			state_.set_kind(sketch.kind());
		return reason;
	}

	void set_kind(ValueKind kind) { state_.set_kind(kind); }

	const Image &image() const { return image_; }
	hll::Sketch sketch() const { return *open_hll(image_); }
	const hll::State &state() const { return state_; }

private:
	static constexpr std::uint8_t junk = 0xA5;  // create() has to overwrite it

	void grow()
	{
		const hll::Layout layout = state_.next_layout();
		Image larger(layout.size, junk);
		state_ = state_.grow_into(larger, layout.form);
		image_.swap(larger);
	}

	Image image_;
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
	const std::optional<hll::Sketch> sketch = open_hll(bytes);
	if (!sketch || sketch->check() != Malformed::no)
		return std::nullopt;
	if (sketch->is_parameterless())
		return store_hll(bytes);
	const HllBuilding building = HllBuilding::copy(*sketch, sketch->precision());
	if (sketch->is_sparse() && building.sketch().entry_count() != sketch->entry_count())
		return std::nullopt;  // two entries of a table share an index
	return store_hll(building.sketch());
}

}  // namespace bloomsketch::test
