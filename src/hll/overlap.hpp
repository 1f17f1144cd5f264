// How many values two HyperLogLogs share, and how many each has alone.
//
//   both sparse    entries with the same index are counted: linear counting
//                  (Whang et al. 1990) of either and of their union, over 2^26
//                  cells. What two sets of n and k values share by chance, n k /
//                  2^26 entries, is taken off by that.
//   otherwise      the joint maximum likelihood of both sketches' registers
//                  (joint.hpp). A sparse sketch's own number is known far better,
//                  so its parts are scaled to add up to it.
//
// Only for pairs: nothing is said about three sets.
#pragma once

#include <cstring>
#include <span>

#include "common/rounded.hpp"
#include "hll/hll.hpp"
#include "hll/joint.hpp"

namespace bloomsketch::hll {

// only_a + only_b + both = total, exactly. That may differ from the count of the
// union, which comes from another estimator.
struct Overlap {
	std::int64_t only_a, only_b, both, total;
	double jaccard;  // both / total; 0 where both sets are empty

	bool operator==(const Overlap &) const = default;
};

// Elements of scratch memory that overlap() needs.
inline std::size_t overlap_scratch(const Sketch &a, const Sketch &b)
{
	if (a.is_sparse() && b.is_sparse())
		return std::size_t{a.entry_count()} + b.entry_count();
	return register_count(std::max(a.precision(), b.precision())) / sizeof(Entry);
}

namespace detail {

// How many indexes two ascending lists of entries share.
inline std::uint32_t count_shared(std::span<const Entry> a, std::span<const Entry> b)
{
	std::uint32_t shared = 0;
	for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
		const Entry first = a[i] & ~rank_mask, second = b[j] & ~rank_mask;
		shared += first == second;
		i += first <= second;
		j += second <= first;
	}
	return shared;
}

inline Parts parts_of_entries(const Sketch &a, const Sketch &b, std::span<Entry> scratch)
{
	if (a.is_empty() || b.is_empty())
		return {a.estimate(), b.estimate(), 0};
	const std::span<Entry> room = scratch.subspan(a.entry_count(), b.entry_count());
	const std::span<const Entry> first = scratch.first(a.read_entries(scratch.first(a.entry_count())));
	const std::span<const Entry> second = room.first(b.read_entries(room));
	const std::uint32_t shared = count_shared(first, second);
	const double either = estimate_entries(a.entry_count() + b.entry_count() - shared);
	const double both = std::max(0.0, a.estimate() + b.estimate() - either);
	return {std::max(0.0, a.estimate() - both), std::max(0.0, b.estimate() - both), both};
}

// Writes all registers of a sketch in any form.
inline void read_registers(const Sketch &sketch, MutableBytes into)
{
	if (!sketch.is_sparse()) {
		sketch.each_chunk([&](Bytes chunk, std::size_t first) {
			std::copy(chunk.begin(), chunk.end(), into.begin() + static_cast<std::ptrdiff_t>(first));
		});
		return;
	}
	std::fill(into.begin(), into.end(), std::uint8_t{0});
	sketch.each_entry([&](Entry entry) {
		const Register found = register_of(entry, sketch.precision());
		into[found.index] = std::max(into[found.index], found.rank);
		return true;
	});
}

// Makes the values of a sparse sketch, its own and those it shares, add up.
inline void fit(const Sketch &sketch, double &own, double &shared)
{
	if (!sketch.is_sparse() || !(own + shared > 0))
		return;
	const double scale = sketch.estimate() / (own + shared);
	own *= scale;
	shared *= scale;
}

inline Parts parts_of_registers(const Sketch &a, const Sketch &b, std::span<Entry> scratch)
{
	if (a.is_sparse()) {
		const Parts turned = parts_of_registers(b, a, scratch);
		return {turned.b, turned.a, turned.x};
	}
	const MutableBytes registers(reinterpret_cast<std::uint8_t *>(scratch.data()), register_count(a.precision()));
	read_registers(b, registers);
	JointCounter counter;
	bool equal = true;
	a.each_chunk([&](Bytes chunk, std::size_t first) {
		counter.add(chunk.data(), registers.data() + first, chunk.size());
		equal = equal && std::memcmp(chunk.data(), registers.data() + first, chunk.size()) == 0;
	});
	if (equal)  // as likelihood has it, too, but for rounding
		return {0, 0, a.estimate()};
	Parts parts = estimate_parts(counter.histogram(), a.precision());
	fit(b, parts.b, parts.x);
	return parts;
}

}  // namespace detail

// Of two sketches that compare() finds alike. `scratch` has overlap_scratch()
// elements.
inline Overlap overlap(const Sketch &a, const Sketch &b, std::span<Entry> scratch)
{
	const bool by_entries = (a.is_sparse() && b.is_sparse()) || a.is_empty() || b.is_empty();
	const Parts parts = by_entries ? detail::parts_of_entries(a, b, scratch) : detail::parts_of_registers(a, b, scratch);
	Overlap result{rounded(parts.a), rounded(parts.b), rounded(parts.x), 0, 0};
	result.total = result.only_a + result.only_b + result.both;
	if (result.total > 0)
		result.jaccard = static_cast<double>(result.both) / static_cast<double>(result.total);
	return result;
}

}  // namespace bloomsketch::hll
