// What stands in front of a cuckoo filter's buckets: header and parameters, from
// which its geometry follows, and the count. cuckoo.hpp draws the whole image.
#pragma once

#include <bit>

#include "common/known_head.hpp"
#include "cuckoo/sizing.hpp"

namespace bloomsketch::cuckoo {

inline constexpr std::size_t parameters_size = 8 + 8 + 1;
inline constexpr std::size_t items_size = 8;
inline constexpr std::size_t largest_head = Header::fixed_size + Header::seed_size + parameters_size + items_size;

struct Parameters {
	std::uint64_t capacity = 0;
	double rate = 0;
	std::int64_t seed = 0;

	constexpr bool operator==(const Parameters &) const = default;
};

struct Head {
	Header header;
	Parameters parameters;
	Geometry geometry;

	// Reads the first bytes of an image of a known size: all of them, or at least the
	// largest possible head.
	Malformed read(Bytes first, std::size_t image_size)
	{
		header.sketch = SketchKind::cuckoo;
		if (const Malformed reason = header.read(first); reason != Malformed::no)
			return reason;
		if (header.form != 0)
			return Malformed::unknown_form;
		if (image_size == header.size())
			return header.seed != 0           ? Malformed::bad_parameters
			       : header.kind.is_none()    ? Malformed::no
			                                  : Malformed::not_canonical;
		if (first.size() < body_at())
			return Malformed::too_short;
		read_parameters(first.data() + header.size());
		if (const Malformed reason = check_geometry(image_size); reason != Malformed::no)
			return reason;
		return check_items(items(first.data()));
	}

	bool is_parameterless() const { return geometry.half == 0; }

	// How far the parameters go, which never change, and where the buckets begin.
	std::size_t size() const { return header.size() + parameters_size; }
	std::size_t body_at() const { return size() + items_size; }

	std::uint64_t items(const std::uint8_t *image) const { return load_le<std::uint64_t>(image + size()); }

	// The bytes of an image that a bucket is in, and with which of their bits it begins.
	std::size_t bucket_at(std::uint64_t bucket) const { return body_at() + geometry.first_bit(bucket) / 8; }
	std::size_t bucket_bit(std::uint64_t bucket) const { return geometry.first_bit(bucket) % 8; }
	std::size_t bucket_bytes(std::uint64_t bucket) const
	{
		return (bucket_bit(bucket) + static_cast<std::size_t>(slots_in_bucket * geometry.bits) + 7) / 8;
	}

private:
	void read_parameters(const std::uint8_t *from)
	{
		parameters.capacity = load_le<std::uint64_t>(from);
		parameters.rate = std::bit_cast<double>(load_le<std::uint64_t>(from + 8));
		parameters.seed = header.seed;
		geometry.bits = from[16];
	}

	Malformed check_geometry(std::size_t image_size)
	{
		if (parameters.capacity == 0 || parameters.capacity > largest_capacity || !is_valid_rate(parameters.rate) ||
		    geometry.bits < fewest_bits || geometry.bits > most_bits)
			return Malformed::bad_parameters;
		const std::size_t body = image_size < body_at() ? 0 : image_size - body_at();
		const auto bits = static_cast<std::size_t>(geometry.bits);
		if (body % bits != 0 || body / bits < smallest_half)
			return Malformed::wrong_length;
		geometry.half = body / bits;
		return Malformed::no;
	}

	Malformed check_items(std::uint64_t items) const
	{
		if (items > geometry.slots())
			return Malformed::bad_count;
		return (items == 0) == header.kind.is_none() ? Malformed::no : Malformed::not_canonical;
	}
};

using KnownHead = bloomsketch::KnownHead<Head, Header::fixed_size + parameters_size>;

}  // namespace bloomsketch::cuckoo
