// Top-K sketches built with memory of their own, for tests: topk/building.hpp with an
// allocator that hands out junk, which the core has to overwrite.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "memory.hpp"
#include "topk/building.hpp"
#include "topk/ranking.hpp"
#include "topk/unite.hpp"

namespace bloomsketch::test {

inline constexpr ValueKind topk_test_kind{ValueType::integer};

inline Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }
inline std::string string_of(Bytes text) { return {text.begin(), text.end()}; }

// An empty optional where the bytes are no sketch at rest.
inline std::optional<topk::Sketch> open_topk(Bytes image)
{
	topk::Sketch sketch;
	if (topk::Sketch::open(image, sketch) != Malformed::no)
		return std::nullopt;
	return sketch;
}

class TopkBuilding {
public:
	explicit TopkBuilding(const topk::Parameters &parameters, ValueKind kind = topk_test_kind) : kind_(kind)
	{
		state_ = topk::create(parameters, memory_.allocator());
	}
	explicit TopkBuilding(const topk::Sketch &sketch) { topk::copy(sketch, state_, memory_.allocator()); }
	TopkBuilding(const TopkBuilding &) = delete;
	TopkBuilding(TopkBuilding &&) = default;

	topk::Change add(Hash64 hash, std::uint64_t weight, std::string_view text)
	{
		const topk::Change change = topk::add(state_, kind_, hash, weight, bytes_of(text), memory_.allocator());
		memory_.release_all_but(state_.image());
		return change;
	}

	// At rest.
	Image store()
	{
		Memory memory;
		const MutableBytes stored = topk::store(state_, memory.allocator());
		return {stored.begin(), stored.end()};
	}

	Image image() const { return {state_.image().begin(), state_.image().end()}; }
	topk::State &state() { return state_; }

private:
	ValueKind kind_ = topk_test_kind;
	Memory memory_;
	topk::State state_;
};

// What a value's counter has.
struct TopkEntry {
	std::uint64_t count, error;
	std::string text;

	bool operator==(const TopkEntry &) const = default;
};
using TopkEntries = std::map<Hash64, TopkEntry>;

inline TopkEntries entries_of(Bytes image)
{
	TopkEntries entries;
	open_topk(image)->each_counter([&](const topk::Counter &counter) {
		entries[counter.hash] = {counter.count, counter.error, string_of(counter.text)};
	});
	return entries;
}

// The union of two images in any form, at rest; none where it is refused.
inline std::optional<Image> try_to_unite_topk(Bytes a, Bytes b, topk::Change &change)
{
	Memory memory;
	const topk::Sketch first = *open_topk(topk::at_rest(a, memory.allocator()));
	const topk::Sketch second = *open_topk(topk::at_rest(b, memory.allocator()));
	if (first.is_parameterless() || second.is_parameterless()) {
		const Bytes united = first.is_parameterless() ? second.image() : first.image();
		return Image(united.begin(), united.end());
	}
	MutableBytes united;
	change = topk::unite(first, second, united, memory.allocator());
	if (change != topk::Change::done)
		return std::nullopt;
	return Image(united.begin(), united.end());
}
inline Image unite_topk(Bytes a, Bytes b)
{
	topk::Change change;
	return *try_to_unite_topk(a, b, change);
}

// The image at rest of one in any form.
inline Image store_topk(Bytes image)
{
	Memory memory;
	const Bytes stored = topk::at_rest(image, memory.allocator());
	return {stored.begin(), stored.end()};
}

// The image of bytes from outside; none where they are no sketch at rest.
inline std::optional<Image> accept_topk(Bytes bytes)
{
	const std::optional<topk::Sketch> sketch = open_topk(bytes);
	if (!sketch || sketch->check() != Malformed::no)
		return std::nullopt;
	return Image(bytes.begin(), bytes.end());
}

}  // namespace bloomsketch::test
