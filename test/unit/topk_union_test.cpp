// Unions of Top-K sketches: against unions of maps, and against the truth after any
// tree of them.
#include <gtest/gtest.h>

#include "topk_truth.hpp"

namespace bloomsketch::topk {
namespace {

using test::entries_of;
using test::Image;
using test::open_topk;
using test::Random;
using test::topk_hash;
using test::topk_text;
using test::TopkBuilding;
using test::TopkEntries;
using test::TopkEntry;
using test::Truth;
using test::unite_topk;

constexpr Parameters smallest{1, 0};  // 1,000 counters

// What the union has to be, value by value.
TopkEntries united_plainly(const Image &a, const Image &b)
{
	const std::uint64_t minimum_of_a = open_topk(a)->minimum(), minimum_of_b = open_topk(b)->minimum();
	const TopkEntries in_a = entries_of(a), in_b = entries_of(b);
	TopkEntries all;
	for (const auto &[hash, entry] : in_a)
		if (const auto other = in_b.find(hash); other != in_b.end())
			all[hash] = {entry.count + other->second.count, entry.error + other->second.error,
			             std::min(entry.text, other->second.text)};
		else
			all[hash] = {entry.count + minimum_of_b, entry.error + minimum_of_b, entry.text};
	for (const auto &[hash, entry] : in_b)
		if (!in_a.contains(hash))
			all[hash] = {entry.count + minimum_of_a, entry.error + minimum_of_a, entry.text};
	std::vector<std::pair<Hash64, TopkEntry>> ordered(all.begin(), all.end());
	std::sort(ordered.begin(), ordered.end(), [](const auto &x, const auto &y) {
		return x.second.count != y.second.count ? x.second.count > y.second.count : x.first < y.first;
	});
	ordered.resize(std::min<std::size_t>(ordered.size(), open_topk(a)->capacity()));
	return TopkEntries(ordered.begin(), ordered.end());
}

// Values first .. last - 1, of small weights, so that many counts are equal.
TopkBuilding build(std::uint64_t first, std::uint64_t last, std::uint64_t most_weight = 3)
{
	TopkBuilding building(smallest);
	for (std::uint64_t i = first; i < last; ++i)
		building.add(topk_hash(i), 1 + Random::mix(i) % most_weight, topk_text(i));
	return building;
}

TEST(TopkUnion, AsUnionsOfMaps)
{
	const std::uint64_t sizes[] = {0, 1, 500, 999, 1'000, 1'001, 1'500, 4'000};
	for (const std::uint64_t size_of_a : sizes)
		for (const std::uint64_t size_of_b : sizes)
			for (const std::uint64_t first_of_b : {std::uint64_t{0}, size_of_a / 2, size_of_a}) {
				const Image a = build(0, size_of_a).store(), b = build(first_of_b, first_of_b + size_of_b).store();
				const Image united = unite_topk(a, b);
				ASSERT_EQ(entries_of(united), united_plainly(a, b)) << size_of_a << ", " << first_of_b << ", " << size_of_b;
				ASSERT_EQ(open_topk(united)->total(), open_topk(a)->total() + open_topk(b)->total());
				ASSERT_EQ(test::accept_topk(united), united);
				ASSERT_EQ(unite_topk(b, a), united) << "to the byte";
			}
}

// Both sides of m: up to it nothing is lost, and one more leaves one out.
TEST(TopkUnion, Boundaries)
{
	for (const std::uint64_t size : {999u, 1'000u, 1'001u}) {
		const Image united = unite_topk(build(0, 600).store(), build(400, size).store());
		const Sketch sketch = *open_topk(united);
		EXPECT_EQ(sketch.used(), std::min<std::uint64_t>(size, 1'000));
		EXPECT_EQ(sketch.minimum() == 0, size < 1'000);
		for (const auto &[hash, entry] : entries_of(united))
			EXPECT_EQ(entry.error, 0u) << "neither was full";
	}
}

// Of equal counts the larger hashes go.
TEST(TopkUnion, Ties)
{
	const Image united = unite_topk(build(0, 900, 1).store(), build(900, 1'800, 1).store());
	std::vector<Hash64> hashes;
	for (std::uint64_t i = 0; i < 1'800; ++i)
		hashes.push_back(topk_hash(i));
	std::sort(hashes.begin(), hashes.end());
	hashes.resize(1'000);
	std::vector<Hash64> kept;
	for (const auto &[hash, entry] : entries_of(united))
		kept.push_back(hash);
	EXPECT_EQ(kept, hashes);
}

// A part of random rows; skewed, or of values that hardly come twice.
Image random_part(Random &random, Truth &truth)
{
	TopkBuilding building(smallest);
	const std::uint64_t rows = random.below(3) == 0 ? random.below(100) : random.below(6'000);
	const std::uint64_t bound = random.below(2) == 0 ? 2'000 : 200'000, weight = random.below(2) == 0 ? 1 : 1'000'000;
	for (std::uint64_t row = 0; row < rows; ++row) {
		const std::uint64_t value = random.below(random.below(bound) + 1), added = 1 + random.below(weight);
		building.add(topk_hash(value), added, topk_text(value));
		truth.add(topk_hash(value), added);
	}
	return random.below(2) == 0 ? building.store() : building.image();
}

// The union of so many parts, of which some are added to in between.
Image random_tree(Random &random, std::uint64_t parts, Truth &truth)
{
	if (parts == 1)
		return random_part(random, truth);
	const std::uint64_t left = 1 + random.below(parts - 1);
	Image united = unite_topk(random_tree(random, left, truth), random_tree(random, parts - left, truth));
	if (random.below(3) != 0)
		return united;
	TopkBuilding building(*open_topk(united));
	for (std::uint64_t row = 0; row < 500; ++row) {
		const std::uint64_t value = random.below(5'000);
		building.add(topk_hash(value), 1 + value % 7, topk_text(value));
		truth.add(topk_hash(value), 1 + value % 7);
	}
	return building.store();
}

TEST(TopkUnion, NeverWrongAfterAnyTree)
{
	Random random(1);
	for (int tree = 0; tree < 25; ++tree) {
		Truth truth;
		const Image united = test::store_topk(random_tree(random, 1 + random.below(16), truth));
		ASSERT_EQ(truth.fault_in(united), nullptr) << truth.fault_in(united) << ", tree " << tree;
		for (const auto &[hash, entry] : entries_of(united))
			if (entry.text.rfind("value-", 0) != 0 || topk_hash(std::stoull(entry.text.substr(6))) != hash)
				FAIL() << "a text of another value: " << entry.text;
	}
}

// A value united is a value added, where no two counts are equal.
TEST(TopkUnion, AddsAsAddingDoes)
{
	for (const std::uint64_t values : {0u, 3u, 999u, 1'000u, 2'000u}) {
		TopkBuilding building(smallest);
		for (std::uint64_t i = 0; i < values; ++i)
			building.add(topk_hash(i), 1'000 + Random::mix(i) % (std::uint64_t{1} << 40), topk_text(i));
		Image united = building.store();
		for (std::uint64_t i = 0; i < 50; ++i) {
			const std::uint64_t value = i % 2 == 0 ? i : 5'000 + i;
			const std::uint64_t weight = 1 + Random::mix(i + 1'000'000) % (std::uint64_t{1} << 30);
			TopkBuilding one(smallest);
			one.add(topk_hash(value), weight, topk_text(value));
			building.add(topk_hash(value), weight, topk_text(value));
			united = unite_topk(united, one.store());
			ASSERT_EQ(united, building.store()) << values << ", " << i;
		}
	}
}

TEST(TopkUnion, SmallestTextStays)
{
	TopkBuilding a(smallest), b(smallest);
	a.add(1, 1, "1.0");
	b.add(1, 1, "1.00");
	a.add(2, 1, "");
	b.add(2, 1, "x");
	a.add(3, 1, "2.50");
	b.add(3, 1, "2.5");
	for (const Image &united : {unite_topk(a.store(), b.store()), unite_topk(b.image(), a.image())})
		EXPECT_EQ(entries_of(united), (TopkEntries{{1, {2, 0, "1.0"}}, {2, {2, 0, ""}}, {3, {2, 0, "2.5"}}}));
}

TEST(TopkUnion, TotalsStop)
{
	TopkBuilding large(smallest), small(smallest);
	large.add(1, max_total - 1, "one");
	small.add(1, 1, "one");
	Change change;
	const std::optional<Image> united = test::try_to_unite_topk(large.store(), small.store(), change);
	ASSERT_TRUE(united);
	EXPECT_EQ(open_topk(*united)->total(), max_total);
	EXPECT_EQ(entries_of(*united).at(1).count, max_total);
	EXPECT_EQ(test::accept_topk(*united), united);
	EXPECT_FALSE(test::try_to_unite_topk(*united, small.store(), change));
	EXPECT_EQ(change, Change::total_out_of_range);
	EXPECT_FALSE(test::try_to_unite_topk(*united, *united, change));
	EXPECT_EQ(change, Change::total_out_of_range);
}

TEST(TopkUnion, KindsAndEmptiness)
{
	const Image none = test::from_hex("611000"), some = build(0, 5).store(), empty = build(0, 0).store();
	EXPECT_EQ(unite_topk(none, some), some);
	EXPECT_EQ(unite_topk(some, none), some);
	EXPECT_EQ(unite_topk(empty, some), some);
	EXPECT_EQ(unite_topk(some, empty), some);
	EXPECT_EQ(unite_topk(empty, empty), empty);
	EXPECT_EQ(unite_topk(empty, none), empty);
}

TEST(TopkUnion, Compare)
{
	const auto compared = [](const Image &a, const Image &b) {
		const Mismatch one = compare(*open_topk(a), *open_topk(b));
		EXPECT_EQ(compare(*open_topk(b), *open_topk(a)), one);
		return one;
	};
	const Image a = build(0, 3).store(), none = test::from_hex("611000");
	EXPECT_EQ(compared(a, build(5, 3'000).store()), Mismatch::none);
	EXPECT_EQ(compared(a, none), Mismatch::none);
	EXPECT_EQ(compared(a, TopkBuilding({2, 0}).store()), Mismatch::k) << "of as many counters";
	EXPECT_EQ(compared(a, TopkBuilding({1, 5}).store()), Mismatch::seed);
	Image other = a;
	Header::set_kind(other.data(), ValueType::text);
	EXPECT_EQ(compared(a, other), Mismatch::kind);
	EXPECT_EQ(compared(other, TopkBuilding(smallest).store()), Mismatch::none) << "an empty one";
}

// What is found out while a sketch is read is said, not left out.
TEST(TopkUnion, DamageIsPassedOn)
{
	const Image good = build(0, 900).store();
	Image damaged = good;
	damaged[damaged.size() - topk_text(0).size() - 20] = 0xFF;  // among the last counters
	damaged.resize(damaged.size() - 1);
	Sketch sketch;
	ASSERT_EQ(Sketch::open(damaged, sketch), Malformed::no);
	ASSERT_NE(sketch.check(), Malformed::no);
	Change change;
	for (const std::uint64_t values : {5u, 900u}) {  // without selection, and with it
		const Image other = build(2'000, 2'000 + values).store();
		EXPECT_FALSE(test::try_to_unite_topk(damaged, other, change));
		EXPECT_EQ(change, Change::damaged);
		EXPECT_FALSE(test::try_to_unite_topk(other, damaged, change));
		EXPECT_EQ(change, Change::damaged);
	}
	test::Memory memory;
	State state;
	EXPECT_EQ(copy(sketch, state, memory.allocator()), Change::damaged);
	Ranking ranking;
	EXPECT_NE(rank(sketch, 5, ranking, memory.allocator()), Malformed::no);
}

}  // namespace
}  // namespace bloomsketch::topk
