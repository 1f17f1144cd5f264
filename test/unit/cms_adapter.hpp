// Count-Min sketches for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include <string>

#include "cms_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

struct CmsAdapter {
	struct Case {
		cms::Parameters parameters;
		std::uint64_t weight;  // the first value's; the others come once or a few times
	};

	static constexpr bool order_free = true;
	static constexpr bool idempotent = false;
	static constexpr std::size_t header_bytes = Header::fixed_size + Header::seed_size + cms::parameters_size + cms::geometry_size + cms::total_size;

	// Few counters and enough for a directory, one row and many, totals below 2^32 and
	// beyond.
	static std::vector<Case> cases()
	{
		return {{{0.5, 0.3, 0}, 1},            {{0.03, 0.9, -1}, 1},       {{0.02, 0.01, 0}, std::uint64_t{1} << 32},
		        {{0.005, 0.01, 1}, UINT32_MAX}, {{0.1, 1e-9, INT64_MIN}, 1}, {{0.03, 0.1, 0}, std::uint64_t{1} << 60}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(c.parameters.epsilon) + ", " + std::to_string(c.parameters.delta) + ", seed " +
		       std::to_string(c.parameters.seed) + ", first weight " + std::to_string(c.weight);
	}

	// Either side of where lists grow and become dense, and many more.
	static std::vector<std::size_t> sizes(const Case &c)
	{
		const cms::Geometry geometry = cms::geometry_for(c.parameters);
		const std::size_t limit = cms::list_limit(geometry);
		if (geometry.counters() > 2'000)  // they take their time
			return {1, limit, limit + 1, 300};
		return {0, 1, 4, 5, limit, limit + 1, 2 * limit + 3, 300};
	}

	// Values that come once, and every eighth one nine times.
	static std::vector<Hash64> values(const Case &, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i)
			values.insert(values.end(), i % 8 == 7 ? 9 : 1, Random::mix(i + 1));
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		CmsBuilding building(c.parameters);
		for (const Hash64 hash : hashes)
			building.add(hash, hash == Random::mix(1) ? c.weight : 1);
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_cms(a, b); }
	static Image store(Bytes image) { return store_cms(image); }
	static std::optional<Image> accept(Bytes bytes) { return accept_cms(bytes); }
	static bool at_rest(Bytes image) { return !open_cms(image)->is_working(); }

	static const char *fault(Bytes image)
	{
		const std::optional<cms::Sketch> sketch = open_cms(image);
		if (!sketch)
			return "open() refuses what it accepted";
		if (sketch->is_parameterless())
			return sketch->kind().is_none() && sketch->is_empty() ? nullptr : "a parameterless sketch holds something";
		// Changed bytes of epsilon may make millions of counters of a few.
		if (sketch->geometry().counters() > 1u << 13)
			return nullptr;
		for (const auto fault_in : {fault_in_counters, fault_in_counting, fault_in_adding, fault_in_taking_away})
			if (const char *fault = fault_in(image, *sketch))
				return fault;
		return nullptr;
	}

private:
	static const char *fault_in_counters(Bytes, const cms::Sketch &sketch)
	{
		std::uint64_t sum = 0;
		std::int64_t last = -1;
		const char *fault = nullptr;
		const Malformed reason = sketch.each_counter([&](cms::Counter counter) {
			if (std::int64_t{counter.position} <= last || counter.position >= sketch.geometry().counters())
				fault = "counters do not ascend";
			if (counter.position < sketch.width())
				sum += counter.value;
			last = counter.position;
		});
		if (reason != Malformed::no || fault != nullptr)
			return fault != nullptr ? fault : "each_counter finds it malformed";
		return sum != sketch.total() ? "a row's counters are not the total" : nullptr;
	}

	static const char *fault_in_counting(Bytes, const cms::Sketch &sketch)
	{
		CmsBuilding dense(sketch);
		dense.make_dense();
		for (const std::uint64_t value : {1, 2, 3, 100})
			if (dense.sketch().count(Random::mix(value)) != sketch.count(Random::mix(value)))
				return "two forms count differently";
		if (sketch.error_bound() > sketch.total())
			return "the error bound is above the total";
		return product_of(sketch, sketch) != product_of(dense.sketch(), sketch)
		           ? "inner products of two forms differ"
		           : nullptr;
	}

	static const char *fault_in_adding(Bytes image, const cms::Sketch &sketch)
	{
		Random random(image.back());
		const Hash64 hash = random.next();
		const std::uint64_t before = sketch.count(hash), weight = random.below(3);
		CmsBuilding more(image);
		const cms::Change change = more.add(hash, weight);
		if (change == cms::Change::too_large)
			return sketch.total() + weight <= cms::max_total || more.image() != Image(image.begin(), image.end())
			           ? "an addition is refused or half done"
			           : nullptr;
		if (more.sketch().total() != sketch.total() + weight || more.sketch().count(hash) != before + weight)
			return "an addition does not show";
		return nullptr;
	}

	static const char *fault_in_taking_away(Bytes image, const cms::Sketch &sketch)
	{
		CmsBuilding twice(image);
		if (twice.merge(image) != cms::Change::done)
			return sketch.total() > cms::max_total / 2 ? nullptr : "it does not unite with itself";
		twice.make_dense();
		if (!twice.subtract(image))
			return "what was merged can't be taken away";
		const Image once = store_cms(twice.sketch());
		if (!std::equal(once.begin(), once.end(), image.begin(), image.end()))
			return "taking away does not undo merging";
		if (!twice.subtract(image) || !twice.sketch().is_empty() || !twice.sketch().kind().is_none())
			return "taking away itself leaves something";
		return sketch.is_empty() || !twice.subtract(image) ? nullptr : "counters go below 0";
	}
};

}  // namespace bloomsketch::test
