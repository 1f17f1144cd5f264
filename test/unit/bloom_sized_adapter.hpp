// Filters that size themselves, for the property suite (properties.hpp) and the fuzzer:
// the forms 3 and 4 while working, 2 at rest.
#pragma once

#include <algorithm>
#include <string>

#include "bloom_sized_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct BloomSizedAdapter {
	struct Case {
		double rate;
		std::int64_t seed;
		std::uint64_t unit;  // blocks of the first oversized layer; 0: hashes are collected
	};

	static constexpr bool order_free = false;
	static constexpr bool idempotent = true;
	static constexpr std::size_t header_bytes = Header::fixed_size + 9 + 2 * bloom::layer_size;

	// At such rates no value is found that is not there, so that filters of different
	// sizes agree.
	static std::vector<Case> cases()
	{
		return {{1e-9, 0, 0}, {1e-6, INT64_MIN, 0}, {1e-9, 0, 12}, {1e-9, 7, 60}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(-std::log10(c.rate)) + " digits, seed " + std::to_string(c.seed) + ", unit " + std::to_string(c.unit);
	}

	// Either side of the numbers at which a table doubles; 333 make three layers of units of 12.
	static std::vector<std::size_t> sizes(const Case &) { return {0, 1, 3, 6, 7, 12, 13, 40, 333}; }

	static std::vector<Hash64> values(const Case &, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i)
			values.push_back(i == 2 ? 0 : Random::mix(i + 1));
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		if (hashes.empty())
			return from_hex("211000");
		SizedBuilding building = c.unit == 0 ? SizedBuilding(c.rate, c.seed)
		                                     : SizedBuilding::oversized(c.rate, c.unit, hashes[0], c.seed);
		for (const Hash64 hash : hashes)
			require(building.add(hash));
		return building.image();
	}

	static bool is_bare(Bytes image) { return !bloom::sizes_itself(image); }
	static bool is_working(Bytes image) { return !is_bare(image) && !at_rest(image); }
	static bool at_rest(Bytes image) { return is_bare(image) || bloom::is_in_form(image, bloom::Form::layered); }

	static Image unite(Bytes a, Bytes b)
	{
		if (is_bare(a))
			return to_image(b);
		if (is_bare(b))
			return to_image(a);
		if (!is_working(a) || !is_working(b))
			return unite_layered(store(a), store(b)).value_or(Image());
		SizedBuilding building(to_image(a));
		require(building.combine(b));
		return building.image();
	}

	static Image store(Bytes image) { return store_sized(image); }

	static std::optional<Image> accept(Bytes bytes)
	{
		if (bytes.size() == 3 && to_image(bytes) == from_hex("211000"))
			return to_image(bytes);
		return accept_sized(bytes);
	}

	// That they hold the same, of all values that these tests add.
	static bool agrees(Bytes a, Bytes b)
	{
		const Image first = store(a), second = store(b);
		if (is_bare(first) || is_bare(second))
			return is_bare(first) == is_bare(second);
		const bloom::Layered x = open_layered(first), y = open_layered(second);
		for (const Hash64 hash : values({}, 0, 4'000))
			if (x.contains(hash) != y.contains(hash))
				return false;
		return x.kind() == y.kind() && x.seed() == y.seed() && x.target() == y.target();
	}

	static const char *fault(Bytes image)
	{
		if (is_bare(image))
			return nullptr;
		bloom::Layered filter;
		if (bloom::Layered::open(image, filter) != Malformed::no)
			return "open() refuses what it accepted";
		for (const auto fault_in : {fault_in_measuring, fault_in_slices, fault_in_adding})
			if (const char *fault = fault_in(image, filter))
				return fault;
		const std::optional<Image> twice = unite_layered(image, image);
		return twice && *twice == to_image(image) ? nullptr : "united with itself it changes";
	}

private:
	static void require(bloom::Growth growth)
	{
		if (growth != bloom::Growth::done)
			std::abort();
	}

	static const char *fault_in_measuring(Bytes, const bloom::Layered &filter)
	{
		const bloom::LayersFill fill(filter);
		if (!(fill.items > 0 && fill.items < 1e18))
			return "the estimate is no count";
		if (!(fill.expected_rate >= 0 && fill.expected_rate <= 1))
			return "the expected rate is no rate";
		return fill.bits_set > 0 && fill.bits_set <= fill.bits ? nullptr : "bits are miscounted";
	}

	// A reader that has the head and a block of each layer sees the same.
	static const char *fault_in_slices(Bytes image, const bloom::Layered &filter)
	{
		bloom::LayersHead head;
		const Image front = to_image(image.first(std::min(image.size(), bloom::largest_layers_head)));
		if (head.read(front, image.size()) != Malformed::no)
			return "a head is refused whose image open() takes";
		for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(image.back()), Random::mix(1)}) {
			bool is_found = false;
			for (std::size_t i = 0; i < head.count; ++i) {
				const bloom::Layer &layer = head.layers[i];
				const std::size_t offset = layer.block_offset(hash);
				if (offset < head.size() || offset + layer.block_bytes() > image.size())
					return "a block is not within the image";
				const Image block = to_image(image.subspan(offset, layer.block_bytes()));
				is_found = is_found || layer.block_contains(block.data(), hash);
			}
			if (is_found != filter.contains(hash))
				return "blocks alone answer differently";
		}
		return nullptr;
	}

	// What is added is there, whatever room the layers say they have; what can't be
	// leaves the filter as it is. A capacity that nothing supports makes a huge layer.
	static const char *fault_in_adding(Bytes image, const bloom::Layered &filter)
	{
		if (filter.head().largest_capacity() > 1'000'000)
			return nullptr;
		Random random(image.back());
		const Hash64 hash = random.next();
		SizedBuilding building(to_image(image));
		if (building.add(hash) != bloom::Growth::done)
			return building.image() == to_image(image) ? nullptr : "a value that was refused left something";
		if (!open_layered(building.image()).contains(hash))
			return "a value that was added is denied";
		return (building.image() != to_image(image)) != filter.contains(hash) ? nullptr : "contains() and add() disagree";
	}
};

}  // namespace bloomsketch::test
