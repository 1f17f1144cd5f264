// Bloom filters for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "bloom_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct BloomAdapter {
	struct Case {
		std::uint64_t capacity;
		double rate;
		std::int64_t seed;
		bloom::Form form;  // to build in
	};

	static constexpr bool order_free = true;
	static constexpr bool idempotent = true;
	static constexpr std::size_t header_bytes = bloom::largest_head;

	// One block and several, small and large ones, in either form.
	static std::vector<Case> cases()
	{
		using bloom::Form;
		return {{10, 0.01, 0, Form::rest},      {10, 0.01, -1, Form::building},   {1'000, 0.1, 0, Form::building},
		        {300, 0.03, INT64_MIN, Form::rest}, {100, 1e-4, 0, Form::building}, {400, 1e-6, 1, Form::rest}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(c.capacity) + " at " + std::to_string(c.rate) + ", seed " + std::to_string(c.seed);
	}

	// Either side of the number at which waiting hashes go into their blocks.
	static std::vector<std::size_t> sizes(const Case &) { return {0, 1, 3, 15, 16, 17, 40, 333}; }

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
		BloomBuilding building({c.capacity, c.rate, c.seed, sizing.hashes}, sizing.blocks, c.form);
		for (const Hash64 hash : hashes)
			building.add(hash);
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_bloom(a, b); }
	static Image store(Bytes image) { return store_bloom(image); }
	static std::optional<Image> accept(Bytes bytes) { return accept_bloom(bytes); }
	static bool at_rest(Bytes image) { return !open_bloom(image)->is_building(); }

	static const char *fault(Bytes image)
	{
		const std::optional<bloom::Filter> filter = open_bloom(image);
		if (!filter)
			return "open() refuses what it accepted";
		if (filter->is_parameterless())
			return filter->kind().is_none() ? nullptr : "a parameterless filter has a kind of value";
		for (const auto fault_in : {fault_in_measuring, fault_in_slices, fault_in_adding})
			if (const char *fault = fault_in(image, *filter))
				return fault;
		return unite_bloom(image, image) == store_bloom(image) ? nullptr : "united with itself it changes";
	}

private:
	static const char *fault_in_measuring(Bytes, const bloom::Filter &filter)
	{
		const bloom::Fill fill = measure_bloom(filter);
		if (!(fill.items() >= 0 && fill.items() < 1e18))
			return "the estimate is no count";
		if (!(fill.expected_rate() >= 0 && fill.expected_rate() <= 1 + 1e-9))
			return "the expected rate is no rate";
		std::uint64_t bits_set = 0;
		for (const std::uint8_t byte : filter.body())
			bits_set += static_cast<std::uint64_t>(std::popcount(byte));
		if (fill.bits_set() != bits_set)
			return "bits are miscounted";
		if ((bits_set == 0) != (fill.items() == 0) || (bits_set == 0) != filter.kind().is_none())
			return "emptiness is told differently";
		return nullptr;
	}

	// A reader that has the head and one block sees the same.
	static const char *fault_in_slices(Bytes image, const bloom::Filter &filter)
	{
		bloom::Head head;
		const Bytes first = image.first(std::min(image.size(), bloom::largest_head));
		const Image front(first.begin(), first.end());
		if (head.read(front, image.size()) != Malformed::no)
			return "a head is refused whose image open() takes";
		if (head.parameters != filter.parameters() || head.blocks != filter.blocks() || head.header.kind != filter.kind())
			return "a head alone reads differently";
		for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(image.back())}) {
			const std::size_t offset = head.block_offset(hash);
			if (offset < head.size() || offset + head.parameters.block_bytes() > image.size())
				return "a block is not within the image";
			const Bytes slice = image.subspan(offset, head.parameters.block_bytes());
			const Image block(slice.begin(), slice.end());
			if (head.block_contains(block.data(), hash) != filter.contains(hash))
				return "a block alone answers differently";
		}
		return nullptr;
	}

	// contains() tells exactly when adding changes nothing, and what was added is
	// there.
	static const char *fault_in_adding(Bytes image, const bloom::Filter &filter)
	{
		Random random(image.back());
		const Hash64 hash = random.next();
		Image more(image.begin(), image.end());
		bloom::State state;
		if (!bloom::State::open(more, state))
			return "a filter can't be opened for writing";
		state.add(hash);
		if (!open_bloom(more)->contains(hash))
			return "a value that was added is denied";
		return std::equal(more.begin(), more.end(), image.begin()) != filter.contains(hash)
		           ? "contains() and add() disagree"
		           : nullptr;
	}
};

}  // namespace bloomsketch::test
