// Counting filters for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "counting_bloom_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct CountingBloomAdapter {
	struct Case {
		std::uint64_t capacity;
		double rate;
		std::int64_t seed;
	};

	static constexpr bool order_free = true;
	static constexpr bool idempotent = false;
	static constexpr std::size_t header_bytes = counting_bloom::largest_head;

	// One block and several, small and large ones.
	static std::vector<Case> cases()
	{
		return {{10, 0.01, 0}, {150, 0.03, INT64_MIN}, {300, 0.1, -1}, {100, 1e-4, 0}, {200, 1e-6, 1}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(c.capacity) + " at " + std::to_string(c.rate) + ", seed " + std::to_string(c.seed);
	}

	// Either side of the number at which waiting hashes go into their counters; in the
	// end many of these are stuck.
	static std::vector<std::size_t> sizes(const Case &) { return {0, 1, 15, 16, 40, 333}; }

	static std::vector<Hash64> values(const Case &, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i)
			values.push_back(Random::mix(i + 1));
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		static std::map<std::string, bloom::Sizing> sizings;  // they take longer than all else
		bloom::Sizing &sizing = sizings[name(c)];
		if (sizing.blocks == 0)
			sizing = bloom::size_for(c.capacity, c.rate, 1'000);
		CountingBuilding building({c.capacity, c.rate, c.seed, sizing.hashes}, sizing.blocks);
		for (const Hash64 hash : hashes)
			building.add(hash);
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_counting(a, b); }
	static Image store(Bytes image) { return store_counting(image); }
	static std::optional<Image> accept(Bytes bytes) { return accept_counting(bytes); }
	static bool at_rest(Bytes image) { return !open_counting(image)->is_working(); }

	static const char *fault(Bytes image)
	{
		const std::optional<counting_bloom::Filter> filter = open_counting(image);
		if (!filter)
			return "open() refuses what it accepted";
		if (filter->is_parameterless())
			return filter->kind().is_none() && bloom_of_counting(image) == from_hex("211000")
			           ? nullptr
			           : "a parameterless filter is not the empty one";
		for (const auto fault_in : {fault_in_bloom, fault_in_slices, fault_in_changing})
			if (const char *fault = fault_in(image, *filter))
				return fault;
		const Image empty = CountingBuilding(filter->parameters(), filter->blocks()).image();
		return store_counting(unite_counting(image, empty)) == Image(image.begin(), image.end())
		           ? nullptr
		           : "united with nothing it changes";
	}

private:
	// The Bloom filter has the bits of the counters.
	static const char *fault_in_bloom(Bytes image, const counting_bloom::Filter &filter)
	{
		const Image bloom_image = bloom_of_counting(image);
		bloom::Filter plain;
		if (bloom::Filter::open(bloom_image, plain) != Malformed::no || plain.check() != Malformed::no)
			return "the Bloom filter is refused";
		if (plain.parameters() != filter.parameters() || plain.kind() != filter.kind() || plain.blocks() != filter.blocks())
			return "the Bloom filter has other parameters";
		const Image working = unite_counting(image, CountingBuilding(filter.parameters(), filter.blocks()).image());
		const Bytes counters = Bytes(working).subspan(filter.head().size(), 4 * plain.body().size());
		std::uint64_t bits_set = 0;
		for (std::size_t i = 0; i < 2 * counters.size(); ++i) {
			const bool is_set = (counters[i / 2] >> i % 2 * 4 & 15) != 0;
			bits_set += is_set;
			if ((plain.body()[i / 8] >> i % 8 & 1) != is_set)
				return "a bit and its counter disagree";
		}
		bloom::Fill fill(filter.parameters().hashes, filter.parameters().block_bits_log2());
		filter.measure(0, filter.blocks(), fill);
		return fill.bits_set() == bits_set ? nullptr : "bits are miscounted";
	}

	// A reader that has the head, one block's bits and its counters sees the same.
	static const char *fault_in_slices(Bytes image, const counting_bloom::Filter &filter)
	{
		counting_bloom::Head head;
		const Bytes first = image.first(std::min(image.size(), counting_bloom::largest_head));
		const Image front(first.begin(), first.end());
		if (head.read(front, image.size()) != Malformed::no || head.blocks != filter.blocks())
			return "a head is refused whose image open() takes";
		const std::size_t bytes = head.parameters.block_bytes();
		const int log2 = head.parameters.block_bits_log2(), hashes = head.parameters.hashes;
		for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(image.back())}) {
			const std::uint64_t block = head.block_of(hash);
			std::size_t begin, end;
			if (!filter.find_excess(block, begin, end) || head.excess_offset() + end > image.size())
				return "a block is not within the image";
			const Bytes bits = image.subspan(head.bits_offset(block), bytes);
			const Bytes excess = image.subspan(head.excess_offset() + begin, end - begin);
			const Image own_bits(bits.begin(), bits.end()), own_excess(excess.begin(), excess.end());
			counting_bloom::BlockCounters counters;
			if (counting_bloom::read_block(own_bits.data(), bytes, own_excess, counters.data()) != Malformed::no)
				return "a block is refused whose image is accepted";
			const unsigned least = counting_bloom::least_counter(counters.data(), hash, hashes, log2);
			if (least != count_counting(image, hash) || (least != 0) != filter.contains(hash))
				return "a block alone answers differently";
		}
		return nullptr;
	}

	// What was added is there, and what is added and removed leaves no trace unless it
	// made a counter stuck.
	static const char *fault_in_changing(Bytes image, const counting_bloom::Filter &filter)
	{
		const Hash64 hash = Random::mix(image.back() + image.size());
		const ValueKind kind = filter.kind().is_none() ? counting_test_kind : filter.kind();
		counting_bloom::Edit edit;
		if (counting_bloom::Edit::open(filter, hash, edit) != Malformed::no)
			return "a value can't be added";
		edit.add(kind);
		Image more(edit.size());
		edit.write(more);
		if (accept_counting(more) != more)
			return "a filter that was added to is not accepted as it is";
		if (!open_counting(more)->contains(hash) || count_counting(more, hash) < std::min(15u, count_counting(image, hash) + 1))
			return "a value that was added is denied";
		const std::optional<Image> less = remove_counting(more, hash);
		if (!less || accept_counting(*less) != less)
			return "a filter that was removed from is not accepted as it is";
		if (stuck_counting(more) == stuck_counting(image) && *less != Image(image.begin(), image.end()) &&
		    count_counting(image, hash) != counting_bloom::stuck)
			return "adding and removing leaves a trace";
		return nullptr;
	}
};

}  // namespace bloomsketch::test
