// Counting Bloom filter: a Bloom filter that can forget (Fan, Cao, Almeida, Broder
// 2000).
//
// What it is: the blocks of a Bloom filter (bloom/block.hpp), of the same size and with
// the same positions for a value, and behind each bit a counter of 4 bits, the bit
// being set where the counter is not 0 (counters.hpp). Adding a copy of a value adds 1
// to its counters, and removing it takes that away again. So as long as only values
// are removed that were added, none that is still there is ever denied: each of its
// counters is at least the number of its copies, or stuck.
//
// A counter that has reached 15 is stuck for good. Positions being spread evenly, that
// happens to a value of which fifteen copies are added, and hardly ever else: at the
// load that a filter is made for, a counter's mean is 0.7.
//
// An image at rest, behind the length word that PostgreSQL keeps:
//
//   header      3 bytes, 11 with a seed (common/header.hpp), form 0
//   capacity    8 bytes, little-endian: distinct values it was sized for
//   rate        8 bytes, IEEE 754 little-endian: the target, in (0, 1)
//   hashes      1 byte: counters per value, 1..64
//   blocks      4 bytes, little-endian: N, how many blocks there are
//   bits        N times 64 bytes, or 512 where the target rate is below 0.001: the
//               blocks of a Bloom filter of the values that are there
//   directory   N times 4 bytes, little-endian: where each block's counters end
//   counters    of each block, those that are not 0 (block_code.hpp)
//
// or the header alone: the empty filter that has no parameters yet and unites with
// any. A look-up needs the head and one block of bits, as in a Bloom filter; what
// concerns counters needs two entries of the directory and one block's counters as
// well. Equal values and parameters have equal images while nothing is stuck, whatever
// was added and removed on the way. The kind of value is `none` only while no bit is set.
//
// That is form 0. In form 1, for building, behind the head there are
//
//   counters    all by position, at 4 bits each
//   count       4 bytes, little-endian: hashes that wait, 0..15
//   waiting     16 times 8 bytes, little-endian: their values' counters are on the way
//               from memory
//
// Limits: an image below 1 GB whatever its counters are, checked when a filter is made:
// so no change can fail for lack of room.
#pragma once

#include "bloom/bloom.hpp"
#include "common/interrupts.hpp"
#include "counting_bloom/block_code.hpp"

namespace bloomsketch::counting_bloom {

inline constexpr std::size_t parameterless_size = Header::fixed_size;

// The filter over no values that has no parameters yet.
inline void store_parameterless(std::uint8_t *to) { Header{SketchKind::counting_bloom, 0, {}, 0}.write(to); }

// Calls use(block) for blocks 0..count-1 until it returns other than Malformed::no. Can
// be interrupted each megabyte.
template <class Use>
inline Malformed each_block(const Head &head, Use use)
{
	const std::uint64_t step = (std::uint64_t{1} << 20) / head.working_block_bytes();
	for (std::uint64_t block = 0; block < head.blocks; ++block) {
		if (block % step == 0)
			check_for_interrupts();
		if (const Malformed reason = use(block); reason != Malformed::no)
			return reason;
	}
	return Malformed::no;
}

// A filter to read.
class Filter {
public:
	static constexpr const char *type_name = "counting_bloom";

	// Checks whatever safe and bounded reading depends on, in constant time.
	static Malformed open(Bytes image, Filter &filter)
	{
		filter = Filter();
		const Malformed reason = filter.head_.read(image, image.size());
		if (reason != Malformed::no)
			return reason;
		filter.image_ = image;
		if (filter.is_parameterless())
			return Malformed::no;
		if (filter.is_working())
			return filter.waiting() < waiting_hashes ? Malformed::no : Malformed::bad_count;
		const std::size_t end = filter.entry(filter.blocks() - 1);
		return end == image.size() - filter.head_.excess_offset() ? Malformed::no : Malformed::wrong_length;
	}

	// Checks what open() leaves.
	Malformed check() const
	{
		bool any = false;
		BlockCounters buffer;
		const Malformed reason = each_block(head_, [&](std::uint64_t block) {
			const std::uint8_t *counters;
			const Malformed found = read(block, buffer, counters);
			any = any || (found == Malformed::no && sum_of_counters(counters, head_.working_block_bytes()) != 0);
			return found;
		});
		if (reason != Malformed::no)
			return reason;
		return any == kind().is_none() ? Malformed::not_canonical : Malformed::no;
	}

	Bytes image() const { return image_; }
	const Head &head() const { return head_; }
	bool is_parameterless() const { return head_.is_parameterless(); }
	bool is_working() const { return head_.is_working(); }
	ValueKind kind() const { return head_.header.kind; }
	std::int64_t seed() const { return head_.header.seed; }
	const Parameters &parameters() const { return head_.parameters; }
	std::uint64_t blocks() const { return head_.blocks; }
	std::uint64_t counters() const { return blocks() << parameters().block_bits_log2(); }

	// At rest: a block's bits, and those of all blocks.
	const std::uint8_t *bits_of(std::uint64_t block) const { return image_.data() + head_.bits_offset(block); }
	Bytes bits() const
	{
		return image_.subspan(head_.size(), static_cast<std::size_t>(blocks()) * parameters().block_bytes());
	}

	// At rest: where a block's counters begin and end, counted from the first one's
	// begin. False where that is not within the image.
	bool find_excess(std::uint64_t block, std::size_t &begin, std::size_t &end) const
	{
		begin = block == 0 ? 0 : entry(block - 1);
		end = entry(block);
		return begin <= end && end <= image_.size() - head_.excess_offset();
	}

	// Lets `counters` be those of a block, in either form; `buffer` is for those that
	// do not lie in the image like that.
	Malformed read(std::uint64_t block, BlockCounters &buffer, const std::uint8_t *&counters) const
	{
		if (is_working()) {
			counters = read_working(block, buffer);
			return Malformed::no;
		}
		counters = buffer.data();
		std::size_t begin, end;
		if (!find_excess(block, begin, end))
			return Malformed::bad_count;
		const Bytes excess = image_.subspan(head_.excess_offset() + begin, end - begin);
		return read_block(bits_of(block), parameters().block_bytes(), excess, buffer.data());
	}

	// At rest: false if the value is certainly not there.
	bool contains(Hash64 hash) const
	{
		return bloom::block_contains(bits_of(head_.block_of(hash)), hash, parameters().hashes,
		                             parameters().block_bits_log2());
	}

	// The least counter of a value: no fewer than its copies, but that 15 may stand for more.
	Malformed count(Hash64 hash, unsigned &least) const
	{
		BlockCounters buffer;
		const std::uint8_t *counters;
		if (const Malformed reason = read(head_.block_of(hash), buffer, counters); reason != Malformed::no)
			return reason;
		least = least_counter(counters, hash, parameters().hashes, parameters().block_bits_log2());
		return Malformed::no;
	}

	// At rest: counts the bits that are set in blocks first..last-1.
	void measure(std::uint64_t first, std::uint64_t last, bloom::Fill &fill) const
	{
		for (std::uint64_t block = first; block < last; ++block)
			fill.add(bloom::count_bits(bits_of(block), parameters().block_bytes()));
	}

	// How many counters are stuck.
	Malformed count_stuck(std::uint64_t &count) const
	{
		count = 0;
		BlockCounters buffer;
		return each_block(head_, [&](std::uint64_t block) {
			const std::uint8_t *counters;
			const Malformed reason = read(block, buffer, counters);
			if (reason == Malformed::no)
				count += stuck_counters(counters, head_.working_block_bytes());
			return reason;
		});
	}

private:
	// Working: hashes that are not in their counters yet.
	std::uint32_t waiting() const { return load_le<std::uint32_t>(image_.data() + head_.tail_offset()); }
	Hash64 waiting_hash(std::uint32_t i) const
	{
		return load_le<Hash64>(image_.data() + head_.tail_offset() + 4 + i * sizeof(Hash64));
	}

	// A block's counters with the hashes that wait for it.
	const std::uint8_t *read_working(std::uint64_t block, BlockCounters &buffer) const
	{
		const std::size_t size = head_.working_block_bytes();
		const std::uint8_t *counters = image_.data() + head_.size() + static_cast<std::size_t>(block) * size;
		for (std::uint32_t i = 0; i < waiting(); ++i) {
			if (head_.block_of(waiting_hash(i)) != block)
				continue;
			if (counters != buffer.data())
				counters = std::copy_n(counters, size, buffer.data()) - size;
			add_to_counters(buffer.data(), waiting_hash(i), parameters().hashes, parameters().block_bits_log2());
		}
		return counters;
	}

	std::size_t entry(std::uint64_t block) const
	{
		return load_le<std::uint32_t>(image_.data() + head_.directory_offset() + static_cast<std::size_t>(block) * entry_size);
	}

	Head head_;
	Bytes image_;
};

// Why two filters can't be united, if they can't.
using bloom::Mismatch;

inline Mismatch compare(const Filter &a, const Filter &b)
{
	return bloom::compare_filters(a, b);
}

}  // namespace bloomsketch::counting_bloom
