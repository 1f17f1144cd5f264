// What cuckoo_pg.cpp does with the core, without PostgreSQL: build, change, unite,
// accept.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cuckoo/state.hpp"
#include "image.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind cuckoo_test_kind{ValueType::integer};

// An empty optional where the bytes are no filter.
inline std::optional<cuckoo::Filter> open_cuckoo(Bytes image)
{
	cuckoo::Filter filter;
	if (cuckoo::Filter::open(image, filter) != Malformed::no)
		return std::nullopt;
	return filter;
}

// A filter of the size that its capacity and rate ask for, or of any other.
class CuckooBuilding {
public:
	CuckooBuilding(std::uint64_t capacity, double rate, std::int64_t seed = 0)
	{
		const cuckoo::Parameters parameters{capacity, rate, seed};
		create(parameters, cuckoo::State::geometry_for(parameters));
	}
	CuckooBuilding(const cuckoo::Parameters &parameters, const cuckoo::Geometry &geometry) { create(parameters, geometry); }
	explicit CuckooBuilding(Image image) : image_(std::move(image)) { static_cast<void>(cuckoo::State::open(image_, state_)); }
	CuckooBuilding(const CuckooBuilding &) = delete;
	CuckooBuilding(CuckooBuilding &&) = default;
	CuckooBuilding &operator=(CuckooBuilding &&) = default;

	cuckoo::Change add(Hash64 hash)
	{
		if (state_.kind().is_none())
			state_.set_kind(cuckoo_test_kind);
		return state_.add(hash);
	}
	bool remove(Hash64 hash) { return state_.remove(hash); }

	const Image &image() const { return image_; }
	cuckoo::Filter filter() const { return *open_cuckoo(image_); }

private:
	static constexpr std::uint8_t junk = 0xA5;  // create() has to overwrite it

	void create(const cuckoo::Parameters &parameters, const cuckoo::Geometry &geometry)
	{
		image_.assign(cuckoo::State::image_size(geometry, parameters.seed), junk);
		state_ = cuckoo::State::create(image_, parameters, geometry.bits);
	}

	Image image_;
	cuckoo::State state_;
};

// An image with what both hold, the smaller put into the larger; they must agree in
// everything. None where there is no room.
inline std::optional<Image> unite_cuckoo(Bytes a, Bytes b)
{
	const cuckoo::Filter first = *open_cuckoo(a), second = *open_cuckoo(b);
	if (first.is_parameterless() || second.is_parameterless())
		return first.is_parameterless() ? Image(b.begin(), b.end()) : Image(a.begin(), a.end());
	const bool is_first_larger = first.items() >= second.items();
	const Bytes larger = is_first_larger ? a : b;
	const cuckoo::Filter smaller = is_first_larger ? second : first;
	Image both(larger.begin(), larger.end());
	cuckoo::State state;
	if (!cuckoo::State::open(both, state))
		return std::nullopt;
	if (state.kind().is_none())
		state.set_kind(smaller.kind());
	const std::uint64_t buckets = smaller.geometry().buckets(), middle = buckets / 3;
	if (state.merge(smaller, 0, middle) != cuckoo::Change::done || state.merge(smaller, middle, buckets) != cuckoo::Change::done)
		return std::nullopt;
	return both;
}

// Bytes from outside, which are kept as they are; none where they are no filter.
inline std::optional<Image> accept_cuckoo(Bytes bytes)
{
	const std::optional<cuckoo::Filter> filter = open_cuckoo(bytes);
	if (!filter || filter->check() != Malformed::no)
		return std::nullopt;
	return Image(bytes.begin(), bytes.end());
}

// What a filter holds, wherever it lies: each fingerprint with its place in the
// first half.
using CuckooEntries = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
inline CuckooEntries cuckoo_entries_of(Bytes image)
{
	CuckooEntries entries;
	const cuckoo::Filter filter = *open_cuckoo(image);
	const cuckoo::Geometry geometry = filter.geometry();
	filter.each_entry(0, geometry.buckets(), [&](cuckoo::Entry entry) {
		const cuckoo::Entry in_first = entry.bucket < geometry.half ? entry : geometry.other(entry);
		entries.emplace_back(in_first.bucket, in_first.fingerprint);
		return true;
	});
	std::sort(entries.begin(), entries.end());
	return entries;
}

}  // namespace bloomsketch::test
