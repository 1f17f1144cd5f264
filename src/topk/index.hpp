// From hashes to counters: a hash table whose collisions are chained, two buckets for
// each counter that there is room for. A counter that is taken over leaves one chain
// and goes to the front of another: neither probes nor moves anything else, as it would
// by open addressing. Buckets and links are entries of 4 bytes,
// little-endian, 0 for none:
//
//   bits 0..16    number of the counter, plus 1
//   bits 17..31   its hash's lowest bits: a look-up of what is not there hardly ever
//                 reads a hash
//
// The hashes are elsewhere, 8 bytes for each counter. Bucket floor(hash * buckets /
// 2^64) is a hash's own.
#pragma once

#include "common/bytes.hpp"
#include "common/hash.hpp"
#include "topk/parameters.hpp"

namespace bloomsketch::topk {

class Index {
public:
	static constexpr std::uint32_t none = UINT32_MAX;

	// What buckets and links take for each counter.
	static constexpr std::size_t buckets_size = 2 * 4;
	static constexpr std::size_t link_size = 4;

	// For so many counters, and their hashes.
	Index(std::uint8_t *buckets, std::uint8_t *links, const std::uint8_t *hashes, std::uint32_t room)
		: buckets_(buckets), links_(links), hashes_(hashes), bucket_count_(buckets_size / entry_size * room)
	{
	}

	// The counter with a hash, or none.
	std::uint32_t find(Hash64 hash) const
	{
		const std::uint32_t wanted = tag(hash);
		for (std::uint32_t entry = at(bucket(hash)); entry != 0; entry = at(link(counter_of(entry))))
			if (((entry ^ wanted) & tag_mask) == 0 && hash_of(counter_of(entry)) == hash)
				return counter_of(entry);
		return none;
	}

	// Adds a counter whose hash is not there.
	void insert(Hash64 hash, std::uint32_t counter)
	{
		std::uint8_t *const front = bucket(hash);
		store_le(link(counter), at(front));
		store_le(front, tag(hash) | (counter + 1));
	}

	// Removes a counter that is there.
	void remove(std::uint32_t counter)
	{
		std::uint8_t *entry = bucket(hash_of(counter));
		while (counter_of(at(entry)) != counter)
			entry = link(counter_of(at(entry)));
		store_le(entry, at(link(counter)));
	}

private:
	static constexpr std::size_t entry_size = 4;
	static constexpr std::uint32_t tag_mask = ~((std::uint32_t{1} << counter_bits) - 1);

	static std::uint32_t tag(Hash64 hash) { return static_cast<std::uint32_t>(hash) << counter_bits; }
	static std::uint32_t counter_of(std::uint32_t entry) { return (entry & ~tag_mask) - 1; }
	static std::uint32_t at(const std::uint8_t *entry) { return load_le<std::uint32_t>(entry); }

	std::uint8_t *bucket(Hash64 hash) const
	{
		return buckets_ + static_cast<std::size_t>(static_cast<unsigned __int128>(hash) * bucket_count_ >> 64) * entry_size;
	}
	std::uint8_t *link(std::uint32_t counter) const { return links_ + std::size_t{counter} * entry_size; }
	Hash64 hash_of(std::uint32_t counter) const { return load_le<Hash64>(hashes_ + std::size_t{counter} * sizeof(Hash64)); }

	std::uint8_t *buckets_;
	std::uint8_t *links_;
	const std::uint8_t *hashes_;
	std::uint32_t bucket_count_;
};

}  // namespace bloomsketch::topk
