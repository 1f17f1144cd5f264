// Top-K sketches for the property suite (properties.hpp) and the fuzzer.
#pragma once

#include "topk_truth.hpp"

namespace bloomsketch::test {

struct TopkAdapter {
	struct Case {
		topk::Parameters parameters;
		std::uint64_t weight;     // the first value's; the others come once or a few times
		std::size_t longest_text; // 0: none has any
	};

	static constexpr bool order_free = false;
	static constexpr bool idempotent = false;
	static constexpr bool refuses_working = true;
	static constexpr std::size_t header_bytes = Header::fixed_size + Header::seed_size + 2 + 9 + 3;

	static std::vector<Case> cases()
	{
		return {{{1, 0}, 1, 20}, {{100, -1}, std::uint64_t{1} << 60, 3}, {{10'000, INT64_MIN}, UINT32_MAX, 0}, {{110, 7}, 1, 300}};
	}

	static std::string name(const Case &c)
	{
		return std::to_string(c.parameters.k) + ", seed " + std::to_string(c.parameters.seed) + ", first weight " +
		       std::to_string(c.weight) + ", texts up to " + std::to_string(c.longest_text);
	}

	// Either side of where images grow at first and of m, and more.
	static std::vector<std::size_t> sizes(const Case &c)
	{
		const std::size_t m = topk::counters_for(c.parameters.k);
		if (m > 2'000)  // as few
			return {1, 100};
		if (c.longest_text > 20)
			return {2, m + 5};
		if (c.longest_text < 20)
			return {0, 1, 3, 4, 50, m - 1, m + 1};
		return {0, 1, 3, 4, m, 3 * m};
	}

	// Values that come once, and every eighth one nine times.
	static std::vector<Hash64> values(const Case &, std::size_t first, std::size_t count)
	{
		std::vector<Hash64> values;
		for (std::uint64_t i = first; i < first + count; ++i)
			values.insert(values.end(), i % 8 == 7 ? 9 : 1, topk_hash(i));
		return values;
	}

	static Image build(const Case &c, const std::vector<Hash64> &hashes)
	{
		TopkBuilding building(c.parameters);
		for (const Hash64 hash : hashes)
			building.add(hash, hash == topk_hash(0) ? c.weight : 1, text_of(c, hash));
		return building.image();
	}

	static Image unite(Bytes a, Bytes b) { return unite_topk(a, b); }
	static Image store(Bytes image) { return store_topk(image); }
	static std::optional<Image> accept(Bytes bytes) { return accept_topk(bytes); }
	static bool at_rest(Bytes image) { return !topk::is_working(image); }

	// What two sketches over the same values say must have a truth that both allow; and
	// while there is room it is the same.
	static bool agrees(Bytes one, Bytes other)
	{
		const Image a = store(one), b = store(other);
		const topk::Sketch first = *open_topk(a), second = *open_topk(b);
		if (first.total() != second.total() || first.kind() != second.kind() || first.used() != second.used())
			return false;
		if (!first.is_full())
			return a == b;
		for (const topk::Sketch &sketch : {first, second})
			if (sketch.check() != Malformed::no || sketch.minimum() > sketch.total() / sketch.capacity())
				return false;
		return lies_within(a, b) && lies_within(b, a);
	}

	static const char *fault(Bytes image)
	{
		const std::optional<topk::Sketch> sketch = open_topk(image);
		if (!sketch)
			return "open() refuses what it accepted";
		if (sketch->is_parameterless())
			return sketch->kind().is_none() && sketch->is_empty() ? nullptr : "a parameterless sketch holds something";
		for (const auto fault_in : {fault_in_counters, fault_in_ranking, fault_in_copying, fault_in_uniting, fault_in_adding})
			if (const char *fault = fault_in(image, *sketch))
				return fault;
		return nullptr;
	}

private:
	static std::string text_of(const Case &c, Hash64 hash)
	{
		const std::size_t length = c.longest_text == 0 ? 0 : Random::mix(hash) % (c.longest_text + 1);
		return std::string(length, static_cast<char>('a' + hash % 26));
	}

	// Whether each value of a may have the truth that b says.
	static bool lies_within(Bytes a, Bytes b)
	{
		const TopkEntries in_a = entries_of(a), in_b = entries_of(b);
		const std::uint64_t minimum = open_topk(b)->minimum();
		for (const auto &[hash, entry] : in_a) {
			const auto other = in_b.find(hash);
			const std::uint64_t most = other == in_b.end() ? minimum : other->second.count;
			if (entry.count - entry.error > most || (other != in_b.end() && other->second.text != entry.text))
				return false;
		}
		return true;
	}

	static const char *fault_in_counters(Bytes image, const topk::Sketch &sketch)
	{
		const TopkEntries entries = entries_of(image);
		const std::uint64_t minimum = sketch.minimum();
		if (entries.size() != sketch.used())
			return "there are not as many counters as it says";
		for (const auto &[hash, entry] : entries) {
			if (entry.error >= entry.count || entry.error > minimum || entry.count > sketch.total())
				return "a counter is out of bounds";
			if (sketch.used() <= 10 && sketch.count(hash) != entry.count)
				return "a counter is not found";
		}
		return minimum <= sketch.total() / sketch.capacity() ? nullptr : "the minimum is above N / m";
	}

	static const char *fault_in_ranking(Bytes, const topk::Sketch &sketch)
	{
		Memory memory;
		topk::Ranking ranking;
		for (const std::size_t limit : {std::size_t{1}, std::size_t{sketch.k()}, SIZE_MAX}) {
			if (topk::rank(sketch, limit, ranking, memory.allocator()) != Malformed::no)
				return "rank() finds it malformed";
			if (ranking.rows().size() != std::min<std::size_t>(limit, sketch.used()))
				return "rows are missing";
		}
		return nullptr;
	}

	static const char *fault_in_copying(Bytes image, const topk::Sketch &sketch)
	{
		const Image stored = TopkBuilding(sketch).store();
		return std::equal(stored.begin(), stored.end(), image.begin(), image.end()) ? nullptr : "a copy is another sketch";
	}

	static const char *fault_in_uniting(Bytes image, const topk::Sketch &sketch)
	{
		topk::Change change;
		const std::optional<Image> twice = try_to_unite_topk(image, image, change);
		if (!twice)
			return sketch.total() > topk::max_total / 2 ? nullptr : "it does not unite with itself";
		TopkEntries expected = entries_of(image);
		for (auto &[hash, entry] : expected) {
			entry.count *= 2;
			entry.error *= 2;
		}
		return entries_of(*twice) == expected && accept(*twice) == twice ? nullptr : "united with itself it is not twice as much";
	}

	static const char *fault_in_adding(Bytes image, const topk::Sketch &sketch)
	{
		Random random(image.back());
		const Hash64 hash = random.next();
		const std::uint64_t weight = random.below(3), before = sketch.count(hash);
		TopkBuilding more(sketch);
		const topk::Change change = more.add(hash, weight, "x");
		const Image stored = more.store();
		if (change != topk::Change::done)
			return sketch.total() + weight > topk::max_total && std::equal(stored.begin(), stored.end(), image.begin(), image.end())
			           ? nullptr
			           : "an addition is refused or half done";
		const topk::Sketch added = *open_topk(stored);
		if (added.total() != sketch.total() + weight || (weight != 0 && added.count(hash) != before + weight))
			return "an addition does not show";
		return weight == 0 || accept(stored) == stored ? nullptr : "an addition makes it malformed";
	}
};

}  // namespace bloomsketch::test
