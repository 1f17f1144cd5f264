// Bloom filter: definitely not there, or maybe (Bloom 1970), in blocks.
//
// What it is: N blocks of B bits (block.hpp), sized for a capacity and a false
// positive rate (sizing.hpp). A look-up that says no is certain; one that says
// yes is wrong with the filter's rate, which grows when more values are added
// than it was made for, and which can be read from the bits.
//
// An image, behind the length word that PostgreSQL keeps:
//
//   header     3 bytes, 11 with a seed (common/header.hpp)
//   capacity   8 bytes, little-endian: distinct values it was sized for
//   rate       8 bytes, IEEE 754 little-endian: the target, in (0, 1)
//   hashes     1 byte: bits per value, 1..64
//   blocks     N times 64 bytes, or 512 where the target rate is below 0.001
//
// or the header alone: the empty filter that has no parameters yet and unites
// with any. Equal values and parameters have equal images, whatever the order,
// because bits are only ever set. The kind of value is `none` only while no bit
// is.
//
// That is form 0, at rest. Form 1 is for building large filters, whose blocks
// are seldom in a cache; behind the blocks it has
//
//   count      4 bytes, little-endian: hashes that wait, 0..15
//   waiting    16 times 8 bytes, little-endian: their values' blocks are on the
//              way from memory
//
// Limits: an image below 1 GB.
#pragma once

#include "bloom/fill.hpp"
#include "bloom/head.hpp"

namespace bloomsketch::bloom {

// A filter to read.
class Filter {
public:
	static constexpr const char *type_name = "bloom";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Filter &filter)
	{
		filter = Filter();
		const Malformed reason = filter.head_.read(image, image.size());
		if (reason != Malformed::no || filter.is_parameterless())
			return reason;
		filter.body_ = image.subspan(filter.head_.size(), filter.head_.body_size());
		if (!filter.is_building())
			return Malformed::no;
		filter.tail_ = image.last(tail_size);
		return filter.waiting() < waiting_hashes ? Malformed::no : Malformed::bad_count;
	}

	// Checks what open() leaves.
	Malformed check() const
	{
		bool any = waiting() != 0;
		for (std::size_t at = 0; at < body_.size() && !any; at += 64)
			any = std::any_of(body_.begin() + static_cast<std::ptrdiff_t>(at),
			                  body_.begin() + static_cast<std::ptrdiff_t>(at + 64), [](std::uint8_t byte) { return byte != 0; });
		return any == kind().is_none() ? Malformed::not_canonical : Malformed::no;
	}

	std::size_t size() const
	{
		return is_parameterless() ? head_.header.size() : head_.size() + head_.body_size() + tail_.size();
	}

	bool is_parameterless() const { return head_.is_parameterless(); }
	bool is_building() const { return head_.is_building(); }
	ValueKind kind() const { return head_.header.kind; }
	std::int64_t seed() const { return head_.header.seed; }
	const Parameters &parameters() const { return head_.parameters; }
	std::uint64_t blocks() const { return head_.blocks; }
	std::uint64_t bits() const { return blocks() << parameters().block_bits_log2(); }
	std::size_t head_size() const { return head_.size(); }
	Bytes body() const { return body_; }

	// Hashes that are not in the blocks yet.
	std::uint32_t waiting() const { return tail_.empty() ? 0 : load_le<std::uint32_t>(tail_.data()); }
	Hash64 waiting_hash(std::uint32_t i) const { return load_le<Hash64>(tail_.data() + 4 + i * sizeof(Hash64)); }

	bool contains(Hash64 hash) const
	{
		return head_.block_contains(body_.data() + (head_.block_offset(hash) - head_size()), hash);
	}

	// Counts the bits that are set in blocks first..last-1.
	void measure(std::uint64_t first, std::uint64_t last, Fill &fill) const
	{
		const std::size_t size = parameters().block_bytes();
		for (std::uint64_t i = first; i < last; ++i)
			fill.add(count_bits(body_.data() + static_cast<std::size_t>(i) * size, size));
	}

private:
	Head head_;
	Bytes body_;
	Bytes tail_;
};

// Why two filters can't be united, if they can't.
enum class Mismatch { none, size, seed, kind };

template <class View>
Mismatch compare_filters(const View &a, const View &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	if (a.parameters() != b.parameters() || a.blocks() != b.blocks())
		return Mismatch::size;
	return a.kind().agrees_with(b.kind()) ? Mismatch::none : Mismatch::kind;
}

inline Mismatch compare(const Filter &a, const Filter &b)
{
	return compare_filters(a, b);
}

}  // namespace bloomsketch::bloom
