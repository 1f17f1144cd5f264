// Top-K sketches that are being built: exact while there is room, never wrong beyond.
#include <cmath>

#include <gtest/gtest.h>

#include "topk_truth.hpp"

namespace bloomsketch::topk {
namespace {

using test::Image;
using test::open_topk;
using test::Random;
using test::topk_hash;
using test::topk_text;
using test::TopkBuilding;
using test::TopkEntries;
using test::Truth;

constexpr Parameters smallest{1, 0};  // 1,000 counters

TEST(Topk, Parameters)
{
	for (const std::int64_t k : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{10'001}, INT64_MAX})
		EXPECT_FALSE(is_valid_k(k)) << k;
	for (const std::int64_t k : {1, 100, 101, 10'000})
		EXPECT_TRUE(is_valid_k(k)) << k;
	EXPECT_EQ(counters_for(1), 1'000u);
	EXPECT_EQ(counters_for(100), 1'000u);
	EXPECT_EQ(counters_for(101), 1'010u);
	EXPECT_EQ(counters_for(10'000), 100'000u);
}

// Exact up to m values, and right beyond, at every k.
TEST(Topk, ExactWhileThereIsRoom)
{
	for (const std::uint32_t k : {1u, 100u, 101u, 10'000u}) {
		const std::uint64_t m = counters_for(k);
		const std::uint64_t sizes[] = {0, 1, 3, 4, m - 1, m, m + 1};
		for (const std::uint64_t values : sizes) {
			TopkBuilding building({k, 0});
			Truth truth;
			TopkEntries expected;
			for (std::uint64_t i = 0; i < values; ++i) {
				const std::uint64_t weight = 1 + Random::mix(i) % 9;
				ASSERT_EQ(building.add(topk_hash(i), weight, topk_text(i)), Change::done);
				ASSERT_EQ(building.add(topk_hash(i / 2), 2, topk_text(i / 2)), Change::done);
				truth.add(topk_hash(i), weight);
				truth.add(topk_hash(i / 2), 2);
			}
			for (std::uint64_t i = 0; i < values; ++i)
				expected[topk_hash(i)] = {truth.weight(topk_hash(i)), 0, topk_text(i)};
			const Image stored = building.store();
			ASSERT_EQ(truth.fault_in(stored), nullptr) << truth.fault_in(stored) << ", k " << k << ", " << values;
			EXPECT_EQ(building.state().used(), std::min(values, m));
			if (values <= m) {
				EXPECT_EQ(test::entries_of(stored), expected) << k << ", " << values;
			} else {
				EXPECT_GT(open_topk(stored)->minimum(), 0u);
			}
			EXPECT_EQ(open_topk(stored)->kind().is_none(), values == 0);
		}
	}
}

// How values come: many rare ones, a few frequent ones, or no two alike.
std::uint64_t draw(int what, Random &random)
{
	switch (what) {
	case 0: return random.below(5'000);
	case 1: return static_cast<std::uint64_t>(std::exp(random.unit() * std::log(100'000)));
	default: return random.next();
	}
}

TEST(Topk, NeverWrong)
{
	for (const int what : {0, 1, 2})
		for (const std::uint64_t most_weight : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1} << 40}) {
			Random random(most_weight + static_cast<std::uint64_t>(what));
			TopkBuilding building(smallest);
			Truth truth;
			for (int row = 1; row <= 20'000; ++row) {
				const std::uint64_t value = draw(what, random), weight = random.below(most_weight + 1) + (most_weight == 1);
				ASSERT_EQ(building.add(topk_hash(value), weight, topk_text(value)), Change::done);
				truth.add(topk_hash(value), weight);
				if (row % 5'000 == 0) {
					const Image stored = building.store();
					ASSERT_EQ(truth.fault_in(stored), nullptr) << truth.fault_in(stored) << ", " << what << ", row " << row;
				}
			}
			std::uint64_t sum = 0;
			for (const auto &[hash, entry] : test::entries_of(building.store()))
				sum += entry.count;
			EXPECT_EQ(sum, truth.total()) << "what is taken over is kept";
		}
}

// A value that takes over a counter takes over one of the least ones, and changes no
// other.
TEST(Topk, TheLeastCounterIsTakenOver)
{
	for (const std::uint64_t most_weight : {1u, 3u, 1'000'000u}) {
		Random random(most_weight);
		TopkBuilding building(smallest);
		for (std::uint64_t i = 0; i < 1'000; ++i)
			building.add(topk_hash(i), 1 + random.below(most_weight), topk_text(i));
		State &state = building.state();
		for (std::uint64_t row = 0; row < 6'000; ++row) {
			for (std::uint64_t hits = random.below(3); hits > 0; --hits)
				state.add_to(static_cast<std::uint32_t>(random.below(1'000)), 1 + random.below(most_weight));
			std::vector<Counter> before;
			for (std::uint32_t i = 0; i < 1'000; ++i)
				before.push_back(state.counter(i));
			const auto least = std::min_element(before.begin(), before.end(), [](const Counter &a, const Counter &b) {
				return a.count < b.count;
			});
			const std::uint64_t weight = 1 + random.below(most_weight), value = 1'000 + row;
			ASSERT_EQ(building.add(topk_hash(value), weight, topk_text(value)), Change::done);
			const std::uint32_t number = state.find(topk_hash(value));
			ASSERT_NE(number, State::none);
			ASSERT_EQ(state.counter(number).count, least->count + weight);
			ASSERT_EQ(state.counter(number).error, least->count);
			ASSERT_EQ(before[number].count, least->count);
			ASSERT_EQ(state.find(before[number].hash), State::none);
			for (std::uint32_t i = 0; i < 1'000; ++i)
				if (i != number) {
					ASSERT_EQ(state.counter(i).hash, before[i].hash);
					ASSERT_EQ(state.counter(i).count, before[i].count);
					ASSERT_EQ(state.counter(i).error, before[i].error);
				}
		}
	}
}

// Texts of all lengths, short ones in place of long ones and the other way round: each
// counter has its own, and the image does not grow without end.
TEST(Topk, TextsStayWithTheirCounters)
{
	Random random(3);
	TopkBuilding building(smallest);
	const auto text_of = [](std::uint64_t value) {
		const std::uint64_t length = value % 50 == 0 ? Random::mix(value) % 2'000 : Random::mix(value) % 40;
		return std::string(length, static_cast<char>('a' + value % 26));
	};
	std::map<Hash64, std::uint64_t> value_of;
	std::size_t size = 0;
	for (int row = 0; row < 60'000; ++row) {
		const std::uint64_t value = random.below(8'000);
		value_of[topk_hash(value)] = value;
		ASSERT_EQ(building.add(topk_hash(value), 1, text_of(value)), Change::done);
		if (row % 1'000 == 0)
			for (std::uint32_t i = 0; i < building.state().used(); ++i) {
				const Counter counter = building.state().counter(i);
				ASSERT_EQ(test::string_of(counter.text), text_of(value_of.at(counter.hash)));
			}
		size = row == 30'000 ? building.image().size() : size;
	}
	EXPECT_EQ(building.image().size(), size) << "compacted instead of grown";
}

TEST(Topk, SmallestTextStays)
{
	const std::string texts[] = {"1.00", "1.0", "1.000", "1", "1.0", "1.00"};
	TopkBuilding building(smallest);
	std::string smallest_text = texts[0];
	for (const std::string &text : texts) {
		ASSERT_EQ(building.add(7, 1, text), Change::done);
		smallest_text = std::min(smallest_text, text);
		EXPECT_EQ(test::entries_of(building.store()).at(7).text, smallest_text);
	}
	EXPECT_EQ(test::entries_of(building.store()).at(7).count, 6u);
	// Bytewise, so that bytes above 127 are the largest; and the smaller one may be
	// longer than there is room for.
	ASSERT_EQ(building.add(8, 1, "\xC3\xA4"), Change::done);
	ASSERT_EQ(building.add(8, 1, "z"), Change::done);
	EXPECT_EQ(test::entries_of(building.store()).at(8).text, "z");
	const std::string longer = "y" + std::string(5'000, 'y');
	ASSERT_EQ(building.add(8, 1, longer), Change::done);
	EXPECT_EQ(test::accept_topk(building.store()), building.store()) << "with its kind of value";
	EXPECT_EQ(test::entries_of(building.store()).at(8), (test::TopkEntry{3, 0, longer}));
	EXPECT_EQ(test::entries_of(building.store()).at(7), (test::TopkEntry{6, 0, "1"}));
	ASSERT_EQ(building.add(8, 1, ""), Change::done);
	EXPECT_EQ(test::entries_of(building.store()).at(8).text, "");
	ASSERT_EQ(building.add(8, 0, ""), Change::done);
	EXPECT_EQ(test::entries_of(building.store()).at(8).count, 4u);
}

TEST(Topk, WeightZeroChangesNothing)
{
	TopkBuilding building(smallest);
	EXPECT_EQ(building.add(1, 0, "x"), Change::done);
	EXPECT_EQ(building.add(1, 0, std::string(longest_text + 1, 'x')), Change::done);
	EXPECT_EQ(building.state().used(), 0u);
	EXPECT_TRUE(building.state().kind().is_none());
	EXPECT_EQ(building.add(1, 5, "x"), Change::done);
	const Image before = building.image();
	EXPECT_EQ(building.add(1, 0, "a"), Change::done) << "nor the text";
	EXPECT_EQ(building.add(2, 0, "x"), Change::done);
	EXPECT_EQ(building.image(), before);
}

TEST(Topk, OpenAndKnownHead)
{
	TopkBuilding building({10, 7});
	building.add(1, 1, "one");
	Image image = building.image();
	State state;
	ASSERT_TRUE(State::open(image, state));
	EXPECT_EQ(state.parameters(), (Parameters{10, 7}));
	EXPECT_EQ(state.kind(), test::topk_test_kind);
	EXPECT_EQ(test::string_of(state.counter(state.find(1)).text), "one");
	const KnownHead known = state.known_head();
	State again;
	ASSERT_TRUE(State::open_known(image, known, again));
	EXPECT_EQ(again.add_to(again.find(1), 5), Change::done);
	EXPECT_EQ(state.counter(0).count, 6u);
	EXPECT_FALSE(State::open_known(image, KnownHead(), again)) << "nothing is known";
	for (std::size_t at = 0; at < 3 + 8 + 8; ++at) {
		Image other = image;
		other[at] ^= 1;
		EXPECT_FALSE(State::open_known(other, known, again)) << at;
	}
	image.push_back(0);
	EXPECT_FALSE(State::open_known(image, known, again)) << "another length";
	Image stored = building.store();
	EXPECT_FALSE(State::open(stored, again));
	EXPECT_FALSE(is_working(stored));
	EXPECT_TRUE(is_working(building.image()));
	EXPECT_EQ(test::store_topk(building.image()), stored);
	EXPECT_EQ(test::store_topk(stored), stored);
	for (std::size_t size = 0; size < 178; ++size) {  // 44, three counters of 42, a record of 8
		Image shorter = building.image();
		shorter.resize(size);
		EXPECT_FALSE(State::open(shorter, again)) << size;
	}
}

// A working copy goes on where a sketch was.
TEST(Topk, Copies)
{
	for (const std::uint64_t values : {0u, 1u, 3u, 999u, 1'000u, 3'000u}) {
		TopkBuilding building(smallest);
		Truth truth;
		const auto add = [&](TopkBuilding &to, std::uint64_t value) {
			ASSERT_EQ(to.add(topk_hash(value), 1 + value % 3, topk_text(value)), Change::done);
			truth.add(topk_hash(value), 1 + value % 3);
		};
		for (std::uint64_t i = 0; i < values; ++i)
			add(building, i);
		const Image stored = building.store();
		TopkBuilding copy(*open_topk(stored));
		EXPECT_EQ(copy.store(), stored);
		for (std::uint64_t i = 0; i < 2'000; ++i)
			add(copy, i / 2);
		EXPECT_EQ(truth.fault_in(copy.store()), nullptr) << truth.fault_in(copy.store());
	}
}

TEST(Topk, Parameterless)
{
	Image none(parameterless_size);
	store_parameterless(none.data());
	EXPECT_EQ(test::to_hex(none), "611000");
	const Sketch sketch = *open_topk(none);
	EXPECT_TRUE(sketch.is_parameterless());
	EXPECT_TRUE(sketch.is_empty());
	EXPECT_FALSE(sketch.is_full());
	EXPECT_EQ(sketch.count(1), 0u);
	EXPECT_EQ(sketch.minimum(), 0u);
	EXPECT_EQ(test::accept_topk(none), none);
	State state;
	EXPECT_FALSE(State::open(none, state));
}

TEST(Topk, FindAndCount)
{
	TopkBuilding building(smallest);
	for (std::uint64_t i = 0; i < 2'000; ++i)
		building.add(topk_hash(i), 5 + i, topk_text(i));
	const Image stored = building.store();
	const Sketch sketch = *open_topk(stored);
	const TopkEntries entries = test::entries_of(stored);
	for (std::uint64_t i = 0; i < 3'000; ++i) {
		const std::optional<Counter> found = sketch.find(topk_hash(i));
		const auto entry = entries.find(topk_hash(i));
		ASSERT_EQ(found.has_value(), entry != entries.end());
		ASSERT_EQ(sketch.count(topk_hash(i)), found ? entry->second.count : sketch.minimum());
		if (found) {
			ASSERT_EQ(found->error, entry->second.error);
			ASSERT_EQ(test::string_of(found->text), entry->second.text);
		}
	}
	EXPECT_FALSE(sketch.find(0));
	EXPECT_FALSE(sketch.find(UINT64_MAX));
}

}  // namespace
}  // namespace bloomsketch::topk
