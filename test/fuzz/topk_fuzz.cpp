// Bytes from outside into the Top-K core.
#include "../unit/topk_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<topk::Sketch>(bytes);
	return accept_within<TopkAdapter>(bytes, bytes.size());  // the copy
}

// Inputs are too short for a sketch all of whose counters are taken; here is one that
// goes with another.
Image full_one_for(const topk::Sketch &sketch)
{
	static const Image full = [] {
		TopkBuilding building({1, 0});
		for (std::uint64_t i = 0; i < 3'000; ++i)
			building.add(topk_hash(i), 1 + i % 7, topk_text(i));
		return building.store();
	}();
	const topk::Sketch known = *open_topk(full);
	const topk::RestHead known_head{known.parameters(), known.kind(), known.total(), known.used()};
	const ValueKind kind = sketch.kind().is_none() ? topk_test_kind : sketch.kind();
	const topk::RestHead head{sketch.parameters(), kind, known.total(), known.used()};
	Image image(head.size());
	head.write(image.data());
	image.insert(image.end(), full.begin() + static_cast<std::ptrdiff_t>(known_head.size()), full.end());
	return image;
}

// The union of two that go together, if its total fits: the same in either order.
std::optional<Image> unite_soundly(const Image &a, const Image &b)
{
	const topk::Sketch first = *open_topk(a), second = *open_topk(b);
	topk::Change change = topk::Change::done;
	const std::optional<Image> both = try_to_unite_topk(a, b, change);
	const bool fits = first.total() <= topk::max_total - second.total();
	require(both.has_value() == fits, "a total is refused or passes 2^63 - 1");
	if (!fits)
		return both;
	require(both == try_to_unite_topk(b, a, change), "a union depends on the order");
	require(accept_topk(*both) == both, "a union is not accepted");
	require(open_topk(*both)->minimum() >= first.minimum() + second.minimum(), "a union's minimum is too small");
	return both;
}

// A union says as much of each value as its parts do, and is the same of working
// copies; and either part takes the values of the other one by one.
void judge_union(const Image &a, const Image &b)
{
	const topk::Sketch first = *open_topk(a), second = *open_topk(b);
	require(topk::compare(first, second) == topk::compare(second, first), "comparing depends on the order");
	if (topk::compare(first, second) != topk::Mismatch::none || first.is_parameterless() || second.is_parameterless())
		return;
	const std::optional<Image> both = unite_soundly(a, b);
	if (!both)
		return;
	topk::Change change;
	require(both == try_to_unite_topk(TopkBuilding(first).image(), b, change), "a union depends on the form");
	const TopkEntries united = entries_of(*both);
	const std::uint64_t minimum = open_topk(*both)->minimum();
	first.each_counter([&](const topk::Counter &counter) {
		const auto found = united.find(counter.hash);
		require(counter.count <= (found == united.end() ? minimum : found->second.count), "a union says too little");
	});
	TopkBuilding one_by_one(first);
	second.each_counter([&](const topk::Counter &counter) {
		require(one_by_one.add(counter.hash, counter.count, string_of(counter.text)) == topk::Change::done, "a value is refused");
	});
	require(accept_topk(one_by_one.store()) == one_by_one.store(), "what was added to is not accepted");
}

std::optional<Image> judge_beside_a_full_one(Bytes bytes)
{
	std::optional<Image> accepted = judge(bytes);
	if (accepted && open_topk(*accepted)->capacity() == 1'000)
		unite_soundly(*accepted, full_one_for(*open_topk(*accepted)));
	return accepted;
}

}  // namespace
}  // namespace bloomsketch::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge_beside_a_full_one, judge_union);
}
