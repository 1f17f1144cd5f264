// The reference workload (workload.hpp) for Top-K sketches: its rows in an order,
// in one sketch or in eight that are united; and how good the result is.
#pragma once

#include <array>
#include <set>

#include "topk_truth.hpp"
#include "workload.hpp"

namespace bloomsketch::test {

enum class Order { random, heavy_first, heavy_last };
enum class Split { whole, random, contiguous, by_value };
inline constexpr std::array orders{Order::random, Order::heavy_first, Order::heavy_last};
inline constexpr std::array splits{Split::whole, Split::random, Split::contiguous, Split::by_value};

inline const char *name(Order order)
{
	return order == Order::random ? "random" : order == Order::heavy_first ? "heavy first" : "heavy last";
}
inline const char *name(Split split)
{
	return split == Split::whole        ? "whole"
	       : split == Split::random     ? "8 random parts"
	       : split == Split::contiguous ? "8 contiguous parts"
	                                    : "8 parts by value";
}

// Values 0, 1, .., which came so often, as rows.
inline std::vector<std::uint32_t> rows_of(const std::vector<std::uint64_t> &counts, Order order, std::uint64_t seed)
{
	std::vector<std::uint32_t> values(counts.size());
	for (std::uint32_t value = 0; value < values.size(); ++value)
		values[value] = value;
	std::sort(values.begin(), values.end(), [&](std::uint32_t a, std::uint32_t b) {
		return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
	});
	if (order == Order::heavy_last)
		std::reverse(values.begin(), values.end());
	std::vector<std::uint32_t> rows;
	for (const std::uint32_t value : values)
		rows.insert(rows.end(), counts[value], value);
	Random random(seed);
	for (std::size_t i = rows.size(); order == Order::random && i > 1; --i)
		std::swap(rows[i - 1], rows[random.below(i)]);
	return rows;
}

// At rest.
inline Image build_topk(const std::vector<std::uint32_t> &rows, Split split, std::uint32_t k)
{
	constexpr std::size_t parts = 8;
	std::vector<TopkBuilding> buildings;
	for (std::size_t part = 0; part < (split == Split::whole ? 1 : parts); ++part)
		buildings.emplace_back(topk::Parameters{k, 0});
	Random random(k);
	for (std::size_t row = 0; row < rows.size(); ++row) {
		const Hash64 hash = hash_word(rows[row], 0);
		const std::size_t part = split == Split::whole        ? 0
		                         : split == Split::random     ? random.below(parts)
		                         : split == Split::contiguous ? row * parts / rows.size()
		                                                      : hash % parts;
		buildings[part].add(hash, 1, std::to_string(rows[row]));
	}
	Image united = buildings[0].store();
	for (std::size_t part = 1; part < buildings.size(); ++part)
		united = unite_topk(united, buildings[part].store());
	return united;
}

// What a sketch of it for k = 100 takes at rest at most: for each of 1,000 counters a hash of
// 8 bytes, a count of up to 3, an error of up to 2, a length, and up to 5 digits, which makes
// 19; and a head.
inline constexpr std::size_t allowed_topk_bytes = 20'000;

struct TopkResult {
	bool are_ten_exact = false;    // the ten most frequent ones, in order
	std::size_t recalled = 0;      // of the k most frequent ones
	std::size_t guaranteed = 0;    // of k
	std::uint64_t worst_error = 0; // count - truth, among the k first
	std::size_t wrong = 0;         // counters that the truth is outside of, values without one above the minimum,
	                               // rows twice, and those that are guaranteed wrongly
	std::size_t bytes = 0;
};

// Of so many rows those that are guaranteed, though as many values came more often:
// `least` is how often the last of that many came.
inline std::size_t wrongly_guaranteed(const topk::Sketch &sketch, std::size_t limit,
                                      const std::map<Hash64, std::uint64_t> &truth, std::uint64_t least)
{
	Memory memory;
	topk::Ranking ranking;
	topk::rank(sketch, limit, ranking, memory.allocator());
	return static_cast<std::size_t>(std::count_if(ranking.rows().begin(), ranking.rows().end(), [&](const topk::Counter &row) {
		return ranking.is_guaranteed(row) && truth.at(row.hash) < least;
	}));
}

inline TopkResult measure_topk(Bytes image, const std::vector<std::uint64_t> &counts)
{
	Memory memory;
	const topk::Sketch sketch = *open_topk(image);
	std::map<Hash64, std::uint64_t> truth;
	std::vector<topk::SortKey> exact;
	for (std::size_t value = 0; value < counts.size(); ++value) {
		truth[hash_word(value, 0)] = counts[value];
		exact.push_back({counts[value], hash_word(value, 0)});
	}
	std::sort(exact.begin(), exact.end(), topk::is_ahead);
	topk::Ranking ranking;
	topk::rank(sketch, sketch.k(), ranking, memory.allocator());
	TopkResult result{.are_ten_exact = true, .bytes = image.size() + 4};
	std::set<std::string> listed;
	for (std::size_t i = 0; i < ranking.rows().size(); ++i) {
		const topk::Counter &row = ranking.rows()[i];
		result.are_ten_exact = result.are_ten_exact && (i >= 10 || row.hash == exact[i].hash);
		result.recalled += truth[row.hash] >= exact[sketch.k() - 1].count;
		result.guaranteed += ranking.is_guaranteed(row);
		result.worst_error = std::max(result.worst_error, row.count - truth[row.hash]);
		result.wrong += !listed.insert(string_of(row.text)).second;
	}
	// Beyond k there are values among the rows that should not be.
	for (const std::size_t limit : {std::size_t{1}, std::size_t{sketch.k()}, std::size_t{3 * sketch.k()}})
		result.wrong += wrongly_guaranteed(sketch, limit, truth, exact[limit - 1].count);
	sketch.each_counter([&](const topk::Counter &counter) {
		const std::uint64_t count = truth[counter.hash];
		result.wrong += count > counter.count || count < counter.count - counter.error;
		truth.erase(counter.hash);
	});
	const std::uint64_t minimum = sketch.minimum();
	for (const auto &[hash, count] : truth)
		result.wrong += count > minimum;
	return result;
}

}  // namespace bloomsketch::test
