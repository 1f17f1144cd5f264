// Adding to a filter at rest and removing from it: one block is decoded, changed and
// coded anew, and all others are copied as they lie.
#pragma once

#include "counting_bloom/counting_bloom.hpp"

namespace bloomsketch::counting_bloom {

class Edit {
public:
	// Begins to change a filter at rest, which has parameters, where a value is.
	static Malformed open(const Filter &filter, Hash64 hash, Edit &edit)
	{
		edit.filter_ = filter;
		edit.hash_ = hash;
		edit.block_ = filter.head().block_of(hash);
		if (!filter.find_excess(edit.block_, edit.begin_, edit.end_))
			return Malformed::bad_count;
		const std::uint8_t *counters;
		return filter.read(edit.block_, edit.counters_, counters);
	}

	void add(ValueKind kind)
	{
		const Parameters &parameters = filter_.parameters();
		add_to_counters(counters_.data(), hash_, parameters.hashes, parameters.block_bits_log2());
		kind_ = kind;
		recode();
	}

	// The value must be there, as far as the filter can tell.
	void remove()
	{
		const Parameters &parameters = filter_.parameters();
		remove_from_counters(counters_.data(), hash_, parameters.hashes, parameters.block_bits_log2());
		recode();
		kind_ = is_emptied() ? ValueKind() : filter_.kind();
	}

	// The size of the new image, and the image.
	std::size_t size() const { return filter_.image().size() - (end_ - begin_) + size_; }

	void write(MutableBytes image) const
	{
		const Bytes from = filter_.image();
		const Head &head = filter_.head();
		const std::size_t excess = head.excess_offset();
		std::copy_n(from.begin(), excess + begin_, image.begin());
		Header::set_kind(image.data(), kind_);
		std::copy_n(bits_.begin(), head.parameters.block_bytes(), image.data() + head.bits_offset(block_));
		std::copy_n(excess_.begin(), size_, image.data() + excess + begin_);
		std::copy(from.data() + excess + end_, from.data() + from.size(), image.data() + excess + begin_ + size_);
		move_entries(image.data() + head.directory_offset());
	}

private:
	void recode() { size_ = write_block(counters_.data(), filter_.parameters().block_bytes(), bits_.data(), excess_.data()); }

	// No bit of the block is left, and none in the others.
	bool is_emptied() const
	{
		if (size_ != 0)
			return false;
		const Bytes bits = filter_.bits();
		const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
		const auto block = bits.begin() + static_cast<std::ptrdiff_t>(filter_.head().bits_offset(block_) - filter_.head().size());
		return std::all_of(bits.begin(), block, is_zero) &&
		       std::all_of(block + static_cast<std::ptrdiff_t>(filter_.parameters().block_bytes()), bits.end(), is_zero);
	}

	// What lies behind the block has moved.
	void move_entries(std::uint8_t *directory) const
	{
		const auto moved = static_cast<std::uint32_t>(size_ - (end_ - begin_));  // modulo 2^32
		for (std::uint64_t block = block_; block < filter_.blocks() && moved != 0; ++block) {
			std::uint8_t *const entry = directory + static_cast<std::size_t>(block) * entry_size;
			store_le(entry, load_le<std::uint32_t>(entry) + moved);
		}
	}

	Filter filter_;
	Hash64 hash_ = 0;
	ValueKind kind_;
	std::uint64_t block_ = 0;
	std::size_t begin_ = 0, end_ = 0;  // of the block's counters before
	std::size_t size_ = 0;             // of its counters now
	BlockCounters counters_;
	BlockCounters bits_;
	BlockCounters excess_;
};

}  // namespace bloomsketch::counting_bloom
