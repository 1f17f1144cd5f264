// HyperLogLog for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include <cmath>

#include "hll_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct HllAdapter {
	struct Case {
		int precision;
		std::int64_t seed;
	};

	static constexpr bool order_free = true;
	static constexpr bool idempotent = true;
	static constexpr std::size_t header_bytes = Header::fixed_size + Header::seed_size + 1 + 3;

	static std::vector<Case> cases()
	{
		return {{4, 0}, {4, -1}, {10, 0}, {10, 0x0123456789ABCDEF}, {14, 0}, {14, 1}, {18, 0}, {18, INT64_MIN}};
	}

	static std::string name(const Case &c)
	{
		return "precision " + std::to_string(c.precision) + ", seed " + std::to_string(c.seed);
	}

	// Either side of the change to registers.
	static std::vector<std::size_t> sizes(const Case &c)
	{
		const std::size_t limit = hll::entry_limit(c.precision);
		return {0, 1, 3, limit - 1, limit, limit + 1, 3 * limit};
	}

	// Each of `count` gives an entry with an index of its own; every eighth one
	// ends in zeros, carries a rank, and comes twice with different ranks.
	static std::vector<Hash64> values(const Case &c, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i) {
			const std::uint64_t low = Random::mix(i + 1) >> hll::index_bits;
			const std::uint64_t scattered = i * 0x9E3779B1;
			const std::uint64_t odd_index = scattered % (1u << 25) << 1 | 1;
			const std::uint64_t even_index = scattered % hll::register_count(c.precision) << (hll::index_bits - c.precision);
			if (i % 8 != 7) {
				values.push_back(odd_index << 38 | low);
				continue;
			}
			values.push_back(even_index << 38 | low >> i % 39);
			values.push_back(even_index << 38 | low >> i % 5);
		}
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		HllBuilding building({c.precision, c.seed});
		for (const Hash64 hash : hashes)
			building.add(hash);
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_hll(a, b); }
	static Image store(Bytes image) { return store_hll(image); }
	static std::optional<Image> accept(Bytes bytes) { return accept_hll(bytes); }
	static bool at_rest(Bytes image) { return !open_hll(image)->is_working(); }

	static const char *fault(Bytes image)
	{
		const std::optional<hll::Sketch> sketch = open_hll(image);
		if (!sketch)
			return "open() refuses what it accepted";
		if (const char *fault = fault_in_reading(*sketch); fault != nullptr || sketch->is_parameterless())
			return fault;
		return fault_in_building(image, *sketch);
	}

private:
	static const char *fault_in_reading(const hll::Sketch &sketch)
	{
		const double estimate = sketch.estimate();
		if (std::isnan(estimate) || estimate < 0)
			return "the estimate is no count";
		if (sketch.is_empty() != (estimate == 0))
			return "the estimate is 0 for other than an empty sketch";
		if (sketch.is_parameterless())
			return nullptr;
		const std::uint32_t used = sketch.registers_used();
		if (used > hll::register_count(sketch.precision()) || (used == 0) != sketch.is_empty())
			return "registers_used is out of range";
		return sketch.is_sparse() ? fault_in_entries(sketch) : nullptr;
	}

	static const char *fault_in_entries(const hll::Sketch &sketch)
	{
		std::uint32_t count = 0;
		std::int64_t last = -1;
		const char *fault = nullptr;
		sketch.each_entry([&](hll::Entry entry) {
			if (!hll::is_valid(entry, sketch.precision()))
				fault = "each_entry gives an invalid entry";
			if (std::int64_t{entry >> hll::rank_bits} <= last)
				fault = "each_entry does not ascend";
			last = entry >> hll::rank_bits;
			++count;
			return true;
		});
		return count != sketch.entry_count() ? "each_entry gives another number of entries" : fault;
	}

	static const char *fault_in_building(Bytes image, const hll::Sketch &sketch)
	{
		const Image stored = store_hll(sketch);
		if (store_hll(unite_hll(image, image)) != stored)
			return "united with itself it changes";
		const int lower = hll::min_precision + image.back() % (sketch.precision() - hll::min_precision + 1);
		if (reduce_hll(reduce_hll(image, lower), hll::min_precision) != reduce_hll(image, hll::min_precision))
			return "reducing in two steps differs";
		return fault_in_adding(sketch, stored);
	}

	// contains() tells exactly when adding changes nothing.
	static const char *fault_in_adding(const hll::Sketch &sketch, const Image &stored)
	{
		Random random(stored.back());
		const Hash64 hash = random.next() >> random.below(20);
		HllBuilding building = HllBuilding::copy(sketch, sketch.precision());
		building.add(hash);
		building.set_kind(sketch.kind());
		return (store_hll(building.sketch()) == stored) != sketch.contains(hash) ? "contains() and add() disagree" : nullptr;
	}
};

}  // namespace bloomsketch::test
