// All counters of a Count-Min sketch at rest, in blocks (block_code.hpp):
//
//   directory   4 bytes, little-endian, for each group of 16 blocks but the first:
//               where it begins, counted from the first block
//   blocks      of 128 counters in the order of their positions; the last one has
//               what is left
//
// So one counter is found by reading the heads of at most 16 blocks.
#pragma once

#include "cms/block_code.hpp"
#include "cms/geometry.hpp"
#include "common/interrupts.hpp"
#include "common/malformed.hpp"

namespace bloomsketch::cms {

inline constexpr std::uint32_t group_blocks = 16;

constexpr std::uint32_t block_count(std::uint32_t counters)
{
	return (counters + block_counters - 1) / block_counters;
}

constexpr std::size_t directory_size(std::uint32_t counters)
{
	return (block_count(counters) - 1) / group_blocks * sizeof(std::uint32_t);
}

// Counters in 8 bytes each that are a megabyte: so often long loops can be stopped.
inline constexpr std::uint32_t megabyte_counters = 1u << 17;

class PackedCounters {
public:
	PackedCounters(Bytes body, std::uint32_t counters)
		: directory_(body.first(directory_size(counters))),
		  blocks_(body.subspan(directory_size(counters))),
		  counters_(counters)
	{
	}

	// Whether the body is long enough for a directory and that many blocks.
	static bool has_room(Bytes body, std::uint32_t counters)
	{
		return body.size() >= directory_size(counters) + block_count(counters) * BlockHead::size;
	}

	// Calls use(block, its bytes, first position) for each block until it returns false.
	// What is wrong with their lengths, if anything.
	template <class Use>
	Malformed each_reader(Use use) const
	{
		std::size_t at = 0;
		for (std::uint32_t first = 0; first < counters_; first += block_counters) {
			if (first % megabyte_counters == 0)
				check_for_interrupts();
			if (!is_in_directory(first / block_counters, at))
				return Malformed::bad_entry;
			BlockReader reader;
			if (!reader.open(blocks_.subspan(at), counters_in(first)))
				return Malformed::too_short;
			if (!use(reader, blocks_.subspan(at, reader.size()), first))
				return Malformed::no;
			at += reader.size();
		}
		return at == blocks_.size() ? Malformed::no : Malformed::wrong_length;
	}

	// Calls use(block's bytes, first position, counters) likewise.
	template <class Use>
	Malformed each_block(Use use) const
	{
		return each_reader([&](const BlockReader &reader, Bytes bytes, std::uint32_t first) {
			Block block;
			reader.read(block);
			return use(bytes, first, std::span<const std::uint64_t>(block.data(), counters_in(first)));
		});
	}

	// One counter; 0 where the blocks are damaged.
	std::uint64_t counter(std::uint32_t position) const
	{
		BlockReader reader;
		return find_block(position / block_counters, reader) ? reader.counter(position % block_counters) : 0;
	}

	// All counters of one block, likewise; false where they are.
	bool read_block(std::uint32_t block, Block &counters) const
	{
		BlockReader reader;
		if (find_block(block, reader)) {
			reader.read(counters);
			return true;
		}
		counters.fill(0);
		return false;
	}

private:
	// Passes the heads of the blocks before it in its group.
	bool find_block(std::uint32_t wanted, BlockReader &reader) const
	{
		std::size_t at = group_start(wanted / group_blocks);
		for (std::uint32_t block = wanted / group_blocks * group_blocks; block <= wanted; ++block) {
			if (at > blocks_.size() || !reader.open(blocks_.subspan(at), counters_in(block * block_counters)))
				return false;
			at += reader.size();
		}
		return true;
	}

	std::uint32_t counters_in(std::uint32_t first) const { return std::min(block_counters, counters_ - first); }

	std::size_t group_start(std::uint32_t group) const
	{
		return group == 0 ? 0 : load_le<std::uint32_t>(directory_.data() + (group - 1) * sizeof(std::uint32_t));
	}

	bool is_in_directory(std::uint32_t block, std::size_t at) const
	{
		return block % group_blocks != 0 || group_start(block / group_blocks) == at;
	}

	Bytes directory_;
	Bytes blocks_;
	std::uint32_t counters_;
};

// Counters to be written, which come block by block: first all of them are looked
// at, then written. `codes` has block_count() elements.
class PackedCode {
public:
	PackedCode(std::span<BlockCode> codes, std::uint32_t counters)
		: codes_(codes), directory_bytes_(directory_size(counters)), size_(directory_bytes_)
	{
	}

	void fit(std::uint32_t first, std::span<const std::uint64_t> counters)
	{
		BlockCode &code = codes_[first / block_counters];
		code = BlockCode(counters);
		size_ += code.head().block_size(counters.size());
	}

	std::size_t size() const { return size_; }

	// Begins to write size() bytes.
	void write_to(std::uint8_t *to)
	{
		directory_ = to;
		blocks_ = next_ = to + directory_bytes_;
	}

	void write(std::uint32_t first, std::span<const std::uint64_t> counters)
	{
		const std::uint32_t block = first / block_counters;
		if (block != 0 && block % group_blocks == 0) {
			store_le(directory_, static_cast<std::uint32_t>(next_ - blocks_));
			directory_ += sizeof(std::uint32_t);
		}
		next_ = codes_[block].write(counters, next_);
	}

private:
	std::span<BlockCode> codes_;
	std::size_t directory_bytes_;
	std::size_t size_;
	std::uint8_t *directory_ = nullptr;
	std::uint8_t *blocks_ = nullptr;
	std::uint8_t *next_ = nullptr;
};

}  // namespace bloomsketch::cms
