// Filters that size themselves: hashes while they are few, folding, sizes and rates
// at any number of values, states put together.
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "bloom_sized_building.hpp"
#include "random.hpp"

namespace bloomsketch::bloom {
namespace {

using test::Image;
using test::open_layered;
using test::SizedBuilding;
using test::store_sized;

SizedBuilding build(double rate, std::uint64_t count, std::uint64_t first = 0)
{
	SizedBuilding building(rate);
	for (std::uint64_t value = first; value < first + count; ++value)
		EXPECT_EQ(building.add(hash_word(value, 0)), Growth::done);
	return building;
}

Collecting open_table(const Image &image)
{
	Collecting table;
	EXPECT_EQ(Collecting::open(Bytes(image), table), Malformed::no);
	EXPECT_EQ(table.check(), Malformed::no);
	return table;
}

std::set<Hash64> values_in(const Image &image)
{
	std::set<Hash64> values;
	open_table(image).each([&](Hash64 hash) { EXPECT_TRUE(values.insert(hash).second) << "a value comes twice"; });
	return values;
}

// Hashes that crowd at the front, in the middle and at the end of a table, 0 among
// them; from 49,153 values on, some wait.
TEST(BloomSized, TableHoldsWhatASetHolds)
{
	test::Random random(3);
	SizedBuilding building(0.01);
	std::set<Hash64> added;
	for (int step = 0; step < 120'000; ++step) {
		Hash64 hash = random.next();
		if (step % 1'000 == 7)
			hash = random.below(3);
		else if (step % 4 == 0 && step < 4'000)
			hash = ~Hash64{0} - random.below(500);
		else if (step % 5 == 0)
			hash = Hash64{1} << 63 | random.below(50);
		else if (step % 7 == 0)
			hash = *added.upper_bound(random.below(*added.rbegin()));
		ASSERT_EQ(building.add(hash), Growth::done);
		added.insert(hash);
		if (step % 9'973 == 0 || step < 100) {
			ASSERT_EQ(values_in(building.image()), added) << step;
			ASSERT_EQ(open_table(building.image()).values(), added.size()) << step;
		}
		ASSERT_TRUE(step % 97 != 0 || open_table(building.image()).contains(hash));
		ASSERT_FALSE(step % 97 == 0 && open_table(building.image()).contains(hash ^ 0x5555'0000'5555'0000));
	}
	ASSERT_GT(open_table(building.image()).places(), 65'536u) << "no hash ever waited";
	ASSERT_EQ(values_in(building.image()), added);
}

TEST(BloomSized, StatesOfFewValuesAreSmall)
{
	EXPECT_LE(build(0.01, 1).image().size(), 100u);
	EXPECT_LE(build(0.01, 10).image().size(), 200u);
	for (std::uint64_t count = 10; count < 40'000; count *= 3)
		EXPECT_LE(build(0.01, count).image().size(), 24 * count) << count;
}

// The order of blocks, so that a large filter is filled from front to back: 20,000 among
// 32,768 places are mostly found at once, and never far from there; what is left at the
// end goes on at the front.
TEST(BloomSized, HashesLieNearlyInOrder)
{
	const SizedBuilding building = build(0.01, 20'000);
	Hash64 before = 0;
	std::uint64_t backwards = 0, far = 0;
	open_table(building.image()).each([&](Hash64 hash) {
		backwards += hash < before;
		far += hash < before && before - hash > Hash64{1} << 56;
		before = hash;
	});
	EXPECT_LE(backwards, 20'000u / 3);
	EXPECT_LE(far, 10u);
}

// Random hashes, of which each may come up to some times, dealt to one, two or three
// states that are put together: one filter, exactly that of the fixed size.
TEST(BloomSized, SizesOfTheFixedFilterWhateverTheParts)
{
	test::Random random(5);
	for (const std::uint64_t count : {10'000u, 49'152u, 49'153u, 196'609u, 421'337u}) {
		std::vector<SizedBuilding> parts;
		for (int i = 0; i < 4; ++i)
			parts.emplace_back(0.01);
		for (std::uint64_t i = 0; i < 2 * count; ++i) {
			const Hash64 hash = hash_word(i < count ? i : random.below(count), 0);
			ASSERT_EQ(parts[0].add(hash), Growth::done);
			ASSERT_EQ(parts[1 + random.below(3)].add(hash), Growth::done);
		}
		const Image alone = store_sized(parts[0].image());
		ASSERT_EQ(parts[1].combine(parts[2].image()), Growth::done);
		ASSERT_EQ(parts[3].combine(parts[1].image()), Growth::done);
		EXPECT_EQ(store_sized(parts[3].image()), alone);
		const Layered filter = open_layered(alone);
		ASSERT_EQ(filter.layers(), 1u);
		EXPECT_EQ(filter.layer(0).blocks, test::size_of(count, 0.01).blocks);
		EXPECT_EQ(filter.layer(0).capacity, count);
	}
}

// The union of b blocks of N is what would have been built of N / b.
TEST(BloomSized, FoldedIsBuiltSmaller)
{
	for (const int log2 : {small_block_bits_log2, large_block_bits_log2})
		for (const std::uint64_t by : {1u, 2u, 3u, 5u, 8u, 12u, 60u, 360u}) {
			const Layer layer{1, 1, 360, 7, log2, 0};
			const Layer small{1, 1, 360 / by, 7, log2, 0};
			Image large_body(layer.body_size()), small_body(small.body_size()), folded(small.body_size(), 0xA5);
			test::Random random(by);
			for (int i = 0; i < 3'000; ++i) {
				const Hash64 hash = random.next();
				add_to_block(large_body.data() + layer.block_offset(hash), hash, 7, log2);
				add_to_block(small_body.data() + small.block_offset(hash), hash, 7, log2);
			}
			fold(layer, large_body, by, folded.data());
			EXPECT_EQ(folded, small_body) << by;
		}
}

// Small oversized filters, of units of 5,040 blocks: at any number of values through
// all four steps the rate is kept, and the size at most 1.5 times the fixed filter's
// (layers that follow each other take more than one: docs/ACCURACY.md). Checked from the
// number on that would have been collected, a fifteenth of what fills the first layer.
TEST(BloomSized, OversizedFiltersFoldToSize)
{
	constexpr double rate = 0.01;
	constexpr std::uint64_t probes = 200'000;
	SizedBuilding building = SizedBuilding::oversized(rate, 5'040, hash_word(0, 0));
	const std::uint64_t first_layer = open_layered(building.image()).layer(0).capacity;
	double next = static_cast<double>(first_layer) / 15;
	std::map<std::size_t, double> largest;
	for (std::uint64_t value = 1; value < 7 * first_layer; ++value) {
		ASSERT_EQ(building.add(hash_word(value, 0)), Growth::done);
		if (static_cast<double>(value) < next)
			continue;
		next *= 1.04;
		const Image image = store_sized(building.image());
		const Layered filter = open_layered(image);
		const LayersFill fill(filter);
		const Sizing fixed = test::size_of(value + 1, rate);
		double &ratio = largest[filter.layers()];
		ratio = std::max(ratio, static_cast<double>(fill.bits) / static_cast<double>(fixed.blocks << fixed.block_bits_log2));
		EXPECT_NEAR(fill.items, static_cast<double>(value + 1), 0.02 * static_cast<double>(value)) << "the estimate";
		EXPECT_LE(fill.expected_rate, 1.01 * rate) << value;
		EXPECT_GE(fill.expected_rate, 0.1 * rate) << value;
		if (ratio == largest[filter.layers()] && value % 3 == 0) {
			EXPECT_LE(test::layered_false_positives(filter, probes), rate * probes + 3 * std::sqrt(rate * probes));
		}
	}
	for (const auto &[layers, ratio] : largest)
		EXPECT_LE(ratio, 1.5) << layers;
	EXPECT_EQ(largest.size(), 3u) << "layers";
	const Image image = store_sized(building.image());
	for (std::uint64_t value = 0; value < 7 * first_layer; ++value)
		ASSERT_TRUE(open_layered(image).contains(hash_word(value, 0)));
}

// The same values in parts, whichever is put to which: nothing is denied, the rate kept,
// and what is one layer for all is one for the parts, with the same bytes.
TEST(BloomSized, OversizedFiltersPutTogether)
{
	constexpr double rate = 0.01;
	const auto oversized = [](std::uint64_t first, std::uint64_t count) {
		SizedBuilding building = SizedBuilding::oversized(rate, 1'260, hash_word(first, 0));
		for (std::uint64_t value = first; value < first + count; ++value)
			EXPECT_EQ(building.add(hash_word(value, 0)), Growth::done);
		return building;
	};
	const SizedBuilding all = oversized(0, 15'000);
	SizedBuilding parts = oversized(0, 9'000);
	ASSERT_EQ(parts.combine(oversized(5'000, 10'000).image()), Growth::done);
	EXPECT_EQ(store_sized(parts.image()), store_sized(all.image()));
	EXPECT_EQ(open_layered(parts.image()).layers(), 1u);

	SizedBuilding many = oversized(0, 20'000);
	for (std::uint64_t part = 1; part < 5; ++part)
		ASSERT_EQ(many.combine(oversized(part * 20'000, 20'000).image()), Growth::done);
	const Image image = store_sized(many.image());
	const Layered filter = open_layered(image);
	EXPECT_GT(filter.layers(), 1u) << "each layer is full";
	for (std::uint64_t value = 0; value < 100'000; ++value)
		ASSERT_TRUE(filter.contains(hash_word(value, 0)));
	EXPECT_LE(test::rate_of(image), 1.01 * rate);
	EXPECT_NEAR(LayersFill(filter).items, 100'000, 1'000);

	// Tables go into a filter, from either side.
	const SizedBuilding few = build(rate, 3'000, 50'000);
	SizedBuilding left = oversized(0, 9'000), right = few;
	ASSERT_EQ(left.combine(few.image()), Growth::done);
	ASSERT_EQ(right.combine(oversized(0, 9'000).image()), Growth::done);
	EXPECT_EQ(right.form(), Form::oversized);
	EXPECT_EQ(store_sized(left.image()), store_sized(right.image()));
	for (std::uint64_t value = 50'000; value < 53'000; ++value)
		ASSERT_TRUE(open_layered(left.image()).contains(hash_word(value, 0)));
}

TEST(BloomSized, OversizedFiltersEnd)
{
	LayersHead head;
	head.target = 0.01;
	for (const std::uint64_t multiple : {1u, 2u, 6u, 12u}) {
		head.layers[head.count] = {1, 1, 5'040 * multiple, 7, 9, 0};
		++head.count;
		const Layer next = next_oversized_layer(head);
		EXPECT_EQ(next.blocks, multiple == 12 ? 0 : 5'040 * (multiple == 1 ? 2 : multiple == 2 ? 6 : 12));
	}
}

// The real ones: when hashes are too many, at which numbers layers are full.
TEST(BloomSized, WhatIsPlanned)
{
	for (const double rate : {0.5, 0.1, 0.01, 0.001, 0.0009, 1e-6, 1e-9, 1e-11}) {
		const Layer first = first_oversized_layer(rate, Collecting::most_values);
		EXPECT_GT(first.capacity, Collecting::most_values * 5 / 4) << "it would be full at once";
		EXPECT_LE(first.body_size(), rate < 1e-8 ? 93'000'000u : 47'000'000u);
		const std::uint64_t unit = rate >= 0.001 ? 720'720 : 83'160;
		EXPECT_TRUE(first.blocks == unit || (rate < 1e-8 && first.blocks == 2 * unit));
	}
	EXPECT_EQ(Collecting::most_values, 3'145'728u);
	EXPECT_EQ(first_oversized_layer(0.01, Collecting::most_values).blocks, 720'720u);
	// From 2 on no divisor is more than 1.5 times the one before.
	for (const std::uint64_t blocks : {720'720u, 83'160u}) {
		std::uint64_t before = 2;
		for (std::uint64_t d = 3; d < blocks / 2; ++d)
			if (blocks % d == 0) {
				EXPECT_LE(2 * d, 3 * before) << blocks;
				before = d;
			}
	}
}

// Beyond the cap, in one state or by two that are put together: one oversized filter,
// folded to at most 1.5 times the fixed filter's size.
TEST(BloomSized, FourMillionValues)
{
	constexpr std::uint64_t million = 1'000'000;
	SizedBuilding one = build(0.01, Collecting::most_values);
	EXPECT_EQ(one.form(), Form::collecting) << "at the cap hashes are kept";
	EXPECT_EQ(open_table(one.image()).values(), Collecting::most_values);
	EXPECT_LE(one.image().size(), 33'555'000u);
	for (std::uint64_t value = Collecting::most_values; value < 4 * million; ++value)
		ASSERT_EQ(one.add(hash_word(value, 0)), Growth::done);
	EXPECT_EQ(one.form(), Form::oversized);
	SizedBuilding half = build(0.01, 2 * million);
	ASSERT_EQ(half.combine(build(0.01, 2'500'000, 1'500'000).image()), Growth::done);
	EXPECT_EQ(half.form(), Form::oversized);
	const Image image = store_sized(one.image());
	EXPECT_EQ(store_sized(half.image()), image);
	const Layered filter = open_layered(image);
	ASSERT_EQ(filter.layers(), 1u);
	const LayersFill fill(filter);
	EXPECT_LE(static_cast<double>(fill.bits), 1.5 * static_cast<double>(test::size_of(4 * million, 0.01).blocks * 512));
	EXPECT_LE(fill.expected_rate, 0.01);
	EXPECT_NEAR(static_cast<double>(filter.layer(0).capacity), 4e6, 4'000);
	for (std::uint64_t value = 0; value < 4 * million; ++value)
		ASSERT_TRUE(filter.contains(hash_word(value, 0)));
	const double found = test::layered_false_positives(filter, million);
	EXPECT_LE(found, 0.01 * million + 3 * std::sqrt(0.01 * million));
	// Two tables that share what would be too much counted twice stay a table.
	SizedBuilding again = build(0.01, 2 * million);
	ASSERT_EQ(again.combine(build(0.01, 2 * million).image()), Growth::done);
	EXPECT_EQ(again.form(), Form::collecting);
	EXPECT_EQ(open_table(again.image()).values(), 2 * million);
}

TEST(BloomSized, DamagedStatesStop)
{
	SizedBuilding building = build(0.01, 40'000);
	Image full = building.image();
	Image image = full;
	store_le(image.data() + 11, ~std::uint32_t{0});
	EXPECT_EQ(SizedBuilding(image).add(5), Growth::damaged);
	// All places taken though the count says otherwise: a search ends.
	Image taken = build(0.01, 2).image();
	for (std::size_t at = 16; at < taken.size(); ++at)
		taken[at] = 0x11;
	Collecting table;
	ASSERT_EQ(Collecting::open(MutableBytes(taken), table), Malformed::no);
	EXPECT_FALSE(table.contains(5));
	EXPECT_FALSE(table.put(5));
	EXPECT_EQ(table.check(), Malformed::bad_count);
	Image layered = store_sized(full);
	layered[11] = 17;
	EXPECT_EQ(SizedBuilding(layered).add(5), Growth::damaged);
}

}  // namespace
}  // namespace bloomsketch::bloom
