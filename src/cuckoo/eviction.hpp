// How room is made in a full cuckoo filter: fingerprints move to their other
// buckets, until one of them finds a free slot there.
//
// The shortest way is looked for, breadth first, before anything moves: what
// can't be added leaves all bytes as they were. The search is bounded, and
// complete while a filter has no more buckets than it may visit, 4,096.
#pragma once

#include <array>

#include "cuckoo/buckets.hpp"

namespace bloomsketch::cuckoo {

class Eviction {
public:
	Eviction(const Geometry &geometry, MutableBytes body) : geometry_(geometry), body_(body) {}

	// Puts a fingerprint that finds both its buckets full. False if there is no way,
	// and then nothing has changed.
	bool put(Entry entry)
	{
		visit(entry.bucket, 0, 0);
		visit(geometry_.other_bucket(entry), 1, 0);
		for (std::size_t at = 0; at < count_; ++at) {
			const std::uint64_t from = steps_[at].bucket;
			for (int slot = 0; slot < slots_in_bucket * geometry_.bits; slot += geometry_.bits) {
				const std::uint64_t bucket = geometry_.other_bucket({from, fingerprint(from, slot)});
				if (!visit(bucket, at, slot))
					continue;
				const int free = find_in_bucket(body_, geometry_.first_bit(bucket), 0, geometry_.bits);
				if (free < 0)
					continue;
				move(count_ - 1, free, entry.fingerprint);
				return true;
			}
		}
		return false;
	}

private:
	// At 95 % of the slots ways are found within some hundred steps, at 97.5 % within
	// these.
	static constexpr std::size_t most_steps = 4096;
	// Buckets by their number modulo this. Where two meet, one of them is passed over.
	static constexpr std::size_t marks = 16384;

	// A bucket, and the slot of an earlier step's whose fingerprint is moved here, by its
	// first bit.
	struct Step {
		std::uint32_t bucket;
		std::uint16_t from;
		std::uint8_t slot;
	};

	std::size_t bit_of_slot(std::uint64_t bucket, int slot) const
	{
		return geometry_.first_bit(bucket) + static_cast<std::size_t>(slot);
	}
	std::uint32_t fingerprint(std::uint64_t bucket, int slot) const
	{
		return static_cast<std::uint32_t>(low_bits(peek_bits(body_, bit_of_slot(bucket, slot)), geometry_.bits));
	}
	void write(std::uint64_t bucket, int slot, std::uint32_t fingerprint)
	{
		put_bits(body_, bit_of_slot(bucket, slot), fingerprint, geometry_.bits);
	}

	// False where the bucket was visited before, so that no way crosses itself.
	bool visit(std::uint64_t bucket, std::size_t from, int slot)
	{
		std::uint64_t &word = visited_[bucket % marks / 64];
		const std::uint64_t mark = std::uint64_t{1} << bucket % 64;
		if ((word & mark) != 0 || count_ == most_steps)
			return false;
		word |= mark;
		steps_[count_++] = {static_cast<std::uint32_t>(bucket), static_cast<std::uint16_t>(from), static_cast<std::uint8_t>(slot)};
		return true;
	}

	// Moves fingerprints along the way to a step, whose bucket has a free slot, the
	// last one first, and puts a new one where the way begins.
	void move(std::size_t at, int free, std::uint32_t fingerprint)
	{
		for (; steps_[at].from != at; at = steps_[at].from) {
			const Step &from = steps_[steps_[at].from];
			write(steps_[at].bucket, free, this->fingerprint(from.bucket, steps_[at].slot));
			free = steps_[at].slot;
		}
		write(steps_[at].bucket, free, fingerprint);
	}

	const Geometry &geometry_;
	MutableBytes body_;
	std::size_t count_ = 0;
	std::array<std::uint64_t, marks / 64> visited_{};
	std::array<Step, most_steps> steps_;  // written before they are read
};

}  // namespace bloomsketch::cuckoo
