// What a Top-K sketch has to say about values whose weights are known.
#pragma once

#include "topk_building.hpp"
#include "random.hpp"

namespace bloomsketch::test {

// A value's hash from its number, and a text of its own.
inline Hash64 topk_hash(std::uint64_t value) { return Random::mix(value + 1); }
inline std::string topk_text(std::uint64_t value) { return "value-" + std::to_string(value); }

// Sums of weights by hash.
class Truth {
public:
	void add(Hash64 hash, std::uint64_t weight)
	{
		if (weight == 0)
			return;
		weights_[hash] += weight;
		total_ += weight;
	}
	std::uint64_t weight(Hash64 hash) const
	{
		const auto found = weights_.find(hash);
		return found == weights_.end() ? 0 : found->second;
	}
	std::uint64_t total() const { return total_; }

	// What a sketch over these says that it must not, or nullptr.
	const char *fault_in(const topk::Sketch &sketch) const
	{
		if (sketch.check() != Malformed::no)
			return "check() refuses it";
		if (sketch.total() != total_)
			return "the total is wrong";
		const std::uint64_t minimum = sketch.minimum();
		if (minimum > total_ / sketch.capacity())
			return "the minimum is above N / m";
		if (weights_.size() < sketch.capacity() && sketch.used() != weights_.size())
			return "a value is left out while there is room";
		if (weights_.size() >= sketch.capacity() && !sketch.is_full())
			return "a counter is free though there are values for it";
		const TopkEntries entries = entries_of(sketch.image());
		for (const auto &[hash, entry] : entries) {
			if (weight(hash) > entry.count || weight(hash) < entry.count - entry.error)
				return "the truth is outside count - error .. count";
			if (weights_.size() <= sketch.capacity() && entry.error != 0)
				return "an error while no more values than counters were seen";
		}
		for (const auto &[hash, weight] : weights_)
			if (!entries.contains(hash) && weight > minimum)
				return "a value without a counter came more often than the minimum";
		return nullptr;
	}
	const char *fault_in(Bytes image) const { return fault_in(*open_topk(image)); }

private:
	std::map<Hash64, std::uint64_t> weights_;
	std::uint64_t total_ = 0;
};

}  // namespace bloomsketch::test
