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

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "bloom/fill.hpp"
#include "bloom/sizing.hpp"
#include "common/header.hpp"

namespace bloomsketch::bloom {

inline constexpr std::size_t parameters_size = 8 + 8 + 1;
inline constexpr std::size_t largest_head = Header::fixed_size + Header::seed_size + parameters_size;
inline constexpr std::size_t largest_image = 0x3FFFFFFF - 4;  // PostgreSQL's limit and its length word

enum class Form : std::uint8_t { rest = 0, building = 1 };

// Sixteen misses at a time keep the memory busy. Below half a megabyte blocks
// are found in a core's own cache anyway.
inline constexpr std::size_t waiting_hashes = 16;
inline constexpr std::size_t tail_size = 4 + waiting_hashes * sizeof(Hash64);
inline constexpr std::size_t smallest_built_apart = std::size_t{1} << 19;

constexpr bool is_valid_rate(double rate) { return rate > 0 && rate < 1; }

// For more values than this no image below 1 GB keeps even a rate next to 1.
inline constexpr std::int64_t largest_capacity = std::int64_t{1} << 40;

// A value that is not there has the hash of one of n values with probability
// n / 2^64. Down to this rate that adds no more than a hundredth of it.
constexpr double smallest_rate(std::uint64_t capacity)
{
	return 100 * static_cast<double>(capacity) * 0x1p-64;
}

struct Parameters {
	std::uint64_t capacity = 0;
	double rate = 0;
	std::int64_t seed = 0;
	int hashes = 0;

	constexpr int block_bits_log2() const { return block_bits_log2_for(rate); }
	constexpr std::size_t block_bytes() const { return std::size_t{1} << (block_bits_log2() - 3); }
	constexpr bool operator==(const Parameters &) const = default;
};

// What stands in front of the blocks.
struct Head {
	Header header;
	Parameters parameters;
	std::uint64_t blocks = 0;

	// Reads the head of an image of `size` bytes of which only the first ones need
	// be there, as far as possible largest_head.
	Malformed read(Bytes first, std::size_t size)
	{
		header.sketch = SketchKind::bloom;
		if (const Malformed reason = header.read(first); reason != Malformed::no)
			return reason;
		if (header.form > static_cast<unsigned>(Form::building))
			return Malformed::unknown_form;
		if (size == header.size())
			return header.seed == 0 && !is_building() ? Malformed::no : Malformed::bad_parameters;
		if (first.size() < this->size())
			return Malformed::too_short;
		read_parameters(first.data() + header.size());
		return check_geometry(size);
	}

	bool is_parameterless() const { return blocks == 0; }
	bool is_building() const { return header.form == static_cast<unsigned>(Form::building); }
	std::size_t size() const { return header.size() + parameters_size; }
	std::size_t body_size() const { return static_cast<std::size_t>(blocks) * parameters.block_bytes(); }

	// Where in the image a value's block begins.
	std::size_t block_offset(Hash64 hash) const
	{
		return size() + static_cast<std::size_t>(block_of(hash, blocks)) * parameters.block_bytes();
	}

private:
	void read_parameters(const std::uint8_t *from)
	{
		parameters.capacity = load_le<std::uint64_t>(from);
		parameters.rate = std::bit_cast<double>(load_le<std::uint64_t>(from + 8));
		parameters.hashes = from[16];
		parameters.seed = header.seed;
	}

	Malformed check_geometry(std::size_t image_size)
	{
		if (parameters.capacity == 0 || parameters.capacity > INT64_MAX || !is_valid_rate(parameters.rate) ||
		    parameters.hashes < 1 || parameters.hashes > max_hashes)
			return Malformed::bad_parameters;
		const std::size_t around = size() + (is_building() ? tail_size : 0);
		const std::size_t body = image_size - around;
		if (image_size <= around || (body & (parameters.block_bytes() - 1)) != 0)
			return Malformed::wrong_length;
		blocks = body >> (parameters.block_bits_log2() - 3);
		return Malformed::no;
	}
};

// A head together with the bytes that it was read from, to know them again.
class KnownHead {
public:
	KnownHead() = default;
	KnownHead(const Head &head, Bytes image) : head_(head), image_size_(image.size())
	{
		std::copy_n(image.begin(), head.size(), bytes_.begin());
	}

	bool begins(Bytes image) const
	{
		return image.size() == image_size_ && std::memcmp(image.data(), bytes_.data(), unseeded_head) == 0 &&
		       (head_.size() == unseeded_head ||
		        std::memcmp(image.data() + unseeded_head, bytes_.data() + unseeded_head, Header::seed_size) == 0);
	}

	const Head &head() const { return head_; }

private:
	static constexpr std::size_t unseeded_head = largest_head - Header::seed_size;

	Head head_;
	std::size_t image_size_ = 0;  // none
	std::array<std::uint8_t, largest_head> bytes_{};
};

class Filter {
public:
	static constexpr const char *type_name = "bloom";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Filter &filter)
	{
		const Malformed reason = open_head(image, image.size(), filter);
		if (reason != Malformed::no || filter.is_parameterless())
			return reason;
		filter.body_ = image.subspan(filter.head_.size(), filter.head_.body_size());
		if (!filter.is_building())
			return Malformed::no;
		filter.tail_ = image.last(tail_size);
		return filter.waiting() < waiting_hashes ? Malformed::no : Malformed::bad_count;
	}

	// Opens an image of which only the head is there (Head::read); its blocks
	// can't be read then.
	static Malformed open_head(Bytes first, std::size_t size, Filter &filter)
	{
		filter = Filter();
		return filter.head_.read(first, size);
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

	// Where in the image a value's block begins.
	std::size_t block_offset(Hash64 hash) const { return head_.block_offset(hash); }

	bool block_contains(const std::uint8_t *block, Hash64 hash) const
	{
		return bloom::block_contains(block, hash, parameters().hashes, parameters().block_bits_log2());
	}

	bool contains(Hash64 hash) const
	{
		return block_contains(body_.data() + (block_offset(hash) - head_size()), hash);
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

// A filter to change in place: a view over a writable image.
class State {
public:
	State() = default;

	static std::size_t image_size(const Parameters &parameters, std::uint64_t blocks, Form form = Form::rest)
	{
		return head_size(parameters.seed) + static_cast<std::size_t>(blocks) * parameters.block_bytes() +
		       (form == Form::building ? tail_size : 0);
	}

	// The form to build a filter in.
	static Form form_for(const Parameters &parameters, std::uint64_t blocks)
	{
		return blocks * parameters.block_bytes() < smallest_built_apart ? Form::rest : Form::building;
	}

	// The most blocks that an image has room for.
	static std::uint64_t most_blocks(double rate, std::int64_t seed)
	{
		return (largest_image - head_size(seed) - tail_size) >> (block_bits_log2_for(rate) - 3);
	}

	// Makes an empty filter in `image`, which has image_size() bytes.
	static State create(MutableBytes image, Form form, const Parameters &parameters, ValueKind kind)
	{
		std::fill(image.begin(), image.end(), std::uint8_t{0});
		const Header header{SketchKind::bloom, static_cast<std::uint8_t>(form), kind, parameters.seed};
		header.write(image.data());
		std::uint8_t *to = image.data() + header.size();
		store_le(to, parameters.capacity);
		store_le(to + 8, std::bit_cast<std::uint64_t>(parameters.rate));
		to[16] = static_cast<std::uint8_t>(parameters.hashes);
		State state;
		open(image, state);
		return state;
	}

	// Makes the filter at rest of what `filter` holds, in image_size() bytes.
	static State create_at_rest(MutableBytes image, const Filter &filter)
	{
		State state = create(image, Form::rest, filter.parameters(), filter.kind());
		std::copy(filter.body().begin(), filter.body().end(),
		          image.begin() + static_cast<std::ptrdiff_t>(filter.head_size()));
		state.take_over_waiting(filter);
		return state;
	}

	// False if the image is no filter, or one without parameters.
	static bool open(MutableBytes image, State &state)
	{
		state.image_ = image;
		if (state.head_.read(image, image.size()) != Malformed::no || state.head_.is_parameterless())
			return false;
		return state.has_room_to_wait();
	}

	// Opens an image by a head that was read before, which takes a fraction of the
	// time. False if it begins with other bytes.
	static bool open_known(MutableBytes image, const KnownHead &known, State &state)
	{
		if (!known.begins(image))
			return false;
		state.image_ = image;
		state.head_ = known.head();
		return state.has_room_to_wait();
	}

	KnownHead known_head() const { return KnownHead(head_, image_); }

	MutableBytes image() const { return image_; }
	const Parameters &parameters() const { return head_.parameters; }
	ValueKind kind() const { return Header::kind_at(image_.data()); }
	void set_kind(ValueKind kind) { Header::set_kind(image_.data(), kind); }

	// The filter as it stands; an image that open() took opens.
	Filter read() const
	{
		Filter filter;
		Filter::open(image_, filter);
		return filter;
	}

	// While building apart, asks for the block and adds the value some calls later.
	void add(Hash64 hash)
	{
		if (!head_.is_building()) {
			set_bits(hash);
			return;
		}
		const std::uint8_t *block = image_.data() + head_.block_offset(hash);
		__builtin_prefetch(block, 1);
		__builtin_prefetch(block + 63, 1);  // a block need not begin where a cache line does
		const std::uint32_t count = waiting();
		store_le(tail() + 4 + count * sizeof(Hash64), hash);
		store_le(tail(), count + 1);
		if (count + 1 == waiting_hashes) {
			for (std::uint32_t i = 0; i < waiting_hashes; ++i)
				set_bits(load_le<Hash64>(tail() + 4 + i * sizeof(Hash64)));
			store_le(tail(), std::uint32_t{0});
		}
	}

	// Adds the hashes that wait in a filter of equal parameters.
	void take_over_waiting(const Filter &other)
	{
		for (std::uint32_t i = 0; i < other.waiting(); ++i)
			set_bits(other.waiting_hash(i));
	}

	// Takes over bytes first..last-1 of the blocks of a filter of equal parameters.
	void merge(const Filter &other, std::size_t first, std::size_t last)
	{
		std::uint8_t *__restrict into = image_.data() + head_.size();
		const std::uint8_t *__restrict from = other.body().data();
		for (std::size_t i = first; i < last; ++i)
			into[i] |= from[i];
	}

private:
	void set_bits(Hash64 hash)
	{
		add_to_block(image_.data() + head_.block_offset(hash), hash, head_.parameters.hashes,
		             head_.parameters.block_bits_log2());
	}

	bool has_room_to_wait() const { return !head_.is_building() || waiting() < waiting_hashes; }
	std::uint8_t *tail() const { return image_.data() + image_.size() - tail_size; }
	std::uint32_t waiting() const { return load_le<std::uint32_t>(tail()); }

	static std::size_t head_size(std::int64_t seed)
	{
		return Header::fixed_size + (seed != 0 ? Header::seed_size : 0) + parameters_size;
	}

	MutableBytes image_;
	Head head_;
};

// Why two filters can't be united, if they can't.
enum class Mismatch { none, size, seed, kind };

inline Mismatch compare(const Filter &a, const Filter &b)
{
	if (a.is_parameterless() || b.is_parameterless())
		return Mismatch::none;
	if (a.seed() != b.seed())
		return Mismatch::seed;
	if (a.parameters() != b.parameters() || a.blocks() != b.blocks())
		return Mismatch::size;
	const bool kinds_agree = a.kind() == b.kind() || a.kind().is_none() || b.kind().is_none();
	return kinds_agree ? Mismatch::none : Mismatch::kind;
}

}  // namespace bloomsketch::bloom
