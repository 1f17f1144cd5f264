// Filters in layers at rest: how they grow, what growing promises, their union.
//
// A false positive rate that is measured on T values deviates by sqrt(rate / T),
// Poisson's; where the promise is an upper bound, 3 of these are allowed above it.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "bloom_sized_building.hpp"
#include "random.hpp"

namespace bloomsketch::bloom {
namespace {

using test::Image;
using test::open_layered;
using test::SizedBuilding;
using test::unite_layered;

// A filter that sized itself for the bigints first .. first + count - 1.
Image build(double rate, std::uint64_t count, std::uint64_t first = 0)
{
	SizedBuilding building(rate);
	for (std::uint64_t value = first; value < first + count; ++value)
		EXPECT_EQ(building.add(hash_word(value, 0)), Growth::done);
	return test::store_sized(building.image());
}

TEST(BloomLayers, SizedForTheValuesThatWereSeen)
{
	for (const double rate : {0.1, 0.01, 1e-6})
		for (const std::uint64_t count : {1u, 10u, 1'000u, 50'000u}) {
			const Image image = build(rate, count);
			const Layered filter = open_layered(image);
			ASSERT_EQ(filter.layers(), 1u);
			EXPECT_EQ(filter.layer(0).capacity, count);
			EXPECT_EQ(filter.layer(0).added, count);
			const test::BloomBuilding fixed = [&] {
				test::BloomBuilding building(count, rate);
				for (std::uint64_t value = 0; value < count; ++value)
					building.add(hash_word(value, 0));
				return building;
			}();
			const Bytes body = filter.body(0);
			EXPECT_EQ(Image(body.begin(), body.end()), test::to_image(fixed.filter().body())) << "other blocks than the fixed filter's";
		}
}

// After each of 150,000 steps the filter knows what a set knows, and when a layer is added
// follows from the values that it did not hold already.
TEST(BloomLayers, GrowAsASetDoes)
{
	SizedBuilding building(build(0.001, 40));
	std::set<std::uint64_t> added;
	for (std::uint64_t value = 0; value < 40; ++value)
		added.insert(value);
	std::uint64_t put = 40, wrong = 0;
	std::uint64_t room = 40;
	std::size_t layers = 1;
	test::Random random(8);
	for (int step = 0; step < 150'000; ++step) {
		const std::uint64_t value = random.below(30'000);
		const Hash64 hash = hash_word(value, 0);
		const bool was_there = open_layered(building.image()).contains(hash);
		ASSERT_TRUE(was_there || !added.contains(value)) << "a value that was added is denied";
		wrong += was_there && !added.contains(value);
		const Image before = was_there ? building.image() : Image();
		ASSERT_EQ(building.add(hash), Growth::done);
		added.insert(value);
		if (was_there) {
			ASSERT_EQ(building.image(), before) << "a value that a layer holds changes nothing";
			continue;
		}
		if (put == room)
			room += std::uint64_t{40} << layers++;
		++put;
		ASSERT_EQ(open_layered(building.image()).layers(), layers);
	}
	const Layered filter = open_layered(building.image());
	std::uint64_t sum = 0;
	for (std::size_t i = 0; i < layers; ++i) {
		EXPECT_EQ(filter.layer(i).capacity, std::uint64_t{40} << i);
		sum += filter.layer(i).added;
	}
	EXPECT_EQ(sum, put);
	EXPECT_GT(layers, 8u);
	// Each new value meets a filter whose rate is at most 1.2 times the target: of some
	// 30,000 that is 36, and 5 times its root more.
	EXPECT_LE(wrong, 36 + 5 * 6u);
	for (const std::uint64_t value : added)
		ASSERT_TRUE(filter.contains(hash_word(value, 0)));
}

// Which rates layers have: 0.1 of the target, 0.05, ..
TEST(BloomLayers, LaterLayersAreForTwiceAsManyAtLowerRates)
{
	const Image image = build(0.01, 500);
	LayersHead head = open_layered(image).head();
	double share = 0.2;
	for (std::size_t count = 1; count < max_layers; ++count) {
		share /= 2;
		const Layer next = next_layer_at_rest(head);
		const Sizing expected = test::size_of(500u << count, share * 0.01);
		EXPECT_EQ(next.capacity, 500u << count);
		EXPECT_EQ(next.blocks, expected.blocks) << count;
		EXPECT_EQ(next.hashes, expected.hashes);
		EXPECT_EQ(next.block_bits_log2, expected.block_bits_log2);
		head.layers[head.count++] = next;
	}
}

// 1.2 times the target, however far it grew.
TEST(BloomLayers, RateAfterThreeAndThirtyTimesTheCapacity)
{
	for (const double rate : {0.1, 0.01, 0.001}) {
		constexpr std::uint64_t capacity = 20'000, probes = 2'000'000;
		SizedBuilding building(build(rate, capacity));
		for (std::uint64_t value = capacity; value < 30 * capacity; ++value) {
			if (value == 3 * capacity || value + 1 == 30 * capacity) {
				const Layered filter = open_layered(building.image());
				EXPECT_GT(filter.layers(), 1u);
				EXPECT_LE(test::rate_of(building.image()), 1.2 * rate);
				EXPECT_LE(test::layered_false_positives(filter, probes),
				          1.2 * rate * probes + 3 * std::sqrt(1.2 * rate * probes));
			}
			ASSERT_EQ(building.add(hash_word(value, 0)), Growth::done);
		}
		const Layered filter = open_layered(building.image());
		for (std::uint64_t value = 0; value < 30 * capacity; ++value)
			ASSERT_TRUE(filter.contains(hash_word(value, 0)));
		// A value that the filter seemed to hold is not counted.
		const LayersFill fill(filter);
		EXPECT_LE(fill.items, 1.01 * 30 * capacity);
		EXPECT_GE(fill.items, (1 - 1.2 * rate) * 0.99 * 30 * capacity);
	}
}

// What the bits say is what is met.
TEST(BloomLayers, ExpectedRateIsTheMeasuredOne)
{
	constexpr std::uint64_t probes = 2'000'000;
	Image image = build(0.01, 10'000);
	double misses = 1 - test::rate_of(image);
	for (std::uint64_t part = 1; part < 5; ++part) {
		const Image next = build(0.01, 10'000, part * 10'000);
		misses *= 1 - test::rate_of(next);
		image = *unite_layered(image, next);
	}
	const double expected = test::rate_of(image) * probes;
	EXPECT_NEAR(test::rate_of(image), 1 - misses, 1e-12);
	EXPECT_GE(test::rate_of(image), 0.04);
	EXPECT_NEAR(test::layered_false_positives(open_layered(image), probes), expected, 3 * std::sqrt(expected));
}

TEST(BloomLayers, SixteenLayersAndNoMore)
{
	SizedBuilding building(build(0.01, 1));
	std::uint64_t value = 1;
	while (open_layered(building.image()).layers() < max_layers || open_layered(building.image()).layer(15).has_room())
		ASSERT_EQ(building.add(hash_word(value++, 0)), Growth::done);
	EXPECT_GE(value, 65'535u);
	const Image full = building.image();
	Growth growth = Growth::done;
	while ((growth = building.add(hash_word(value++, 0))) == Growth::done)
		ASSERT_EQ(building.image(), full) << "only what is there already may be added";
	EXPECT_EQ(growth, Growth::too_many_layers);
	EXPECT_EQ(building.image(), full);

	Image united = build(0.01, 5);
	for (std::uint64_t part = 1; part < max_layers; ++part)
		united = *unite_layered(united, build(0.01, 5, part * 5));
	EXPECT_EQ(open_layered(united).layers(), max_layers);
	EXPECT_FALSE(unite_layered(united, build(0.01, 5, 1'000)));
	EXPECT_TRUE(unite_layered(united, build(0.01, 5, 20))) << "that layer is among them";
}

TEST(BloomLayers, NoLayerBeyondTheLimit)
{
	Image image = build(0.01, 3);
	store_le(image.data() + 3 + 9, std::uint64_t{1} << 32);  // the capacity
	store_le(image.data() + 3 + 17, std::uint64_t{1} << 32);  // is used up
	SizedBuilding building(image);
	EXPECT_EQ(building.add(hash_word(77, 0)), Growth::too_large);
	EXPECT_EQ(building.image(), image);
	store_le(image.data() + 3 + 9, std::uint64_t{INT64_MAX});
	store_le(image.data() + 3 + 17, std::uint64_t{INT64_MAX});
	EXPECT_EQ(SizedBuilding(image).add(hash_word(77, 0)), Growth::too_large);
}

TEST(BloomLayers, UnionKeepsTheLayersOfBoth)
{
	const Image a = build(0.01, 100), b = build(0.01, 100, 50), both = *unite_layered(a, b);
	const Layered filter = open_layered(both);
	ASSERT_EQ(filter.layers(), 2u);
	for (std::uint64_t value = 0; value < 150; ++value)
		EXPECT_TRUE(filter.contains(hash_word(value, 0)));
	EXPECT_EQ(test::to_image(filter.body(0)), test::to_image(open_layered(a).body(0)));
	EXPECT_EQ(test::to_image(filter.body(1)), test::to_image(open_layered(b).body(0)));
	EXPECT_EQ(*unite_layered(a, a), a);
	EXPECT_EQ(*unite_layered(both, a), both);
	EXPECT_EQ(*unite_layered(both, b), both);
	EXPECT_EQ(open_layered(*unite_layered(a, both)).layers(), 2u);
}

// Of a filter and what it has grown to, the latter is enough.
TEST(BloomLayers, LayersThatGrewFromOthersReplaceThem)
{
	SizedBuilding building(build(0.01, 100));
	for (std::uint64_t value = 100; value < 150; ++value)
		ASSERT_EQ(building.add(hash_word(value, 0)), Growth::done);
	const Image earlier = building.image();
	for (std::uint64_t value = 150; value < 200; ++value)
		ASSERT_EQ(building.add(hash_word(value, 0)), Growth::done);
	EXPECT_EQ(*unite_layered(earlier, building.image()), building.image());
	EXPECT_EQ(*unite_layered(building.image(), earlier), building.image());
	EXPECT_EQ(*unite_layered(build(0.01, 100), building.image()), building.image());
}

TEST(BloomLayers, CompareNamesWhatDiffers)
{
	const Image one = build(0.01, 10);
	const auto compared = [&](const Image &other) { return compare(open_layered(one), open_layered(other)); };
	EXPECT_EQ(compared(build(0.01, 1'000)), LayersMismatch::none);
	EXPECT_EQ(compared(build(0.011, 10)), LayersMismatch::target);
	Image text = one;
	text[2] = ValueKind(ValueType::text).code;
	EXPECT_EQ(compared(text), LayersMismatch::kind);
	SizedBuilding seeded(0.01, 5);
	ASSERT_EQ(seeded.add(1), Growth::done);
	EXPECT_EQ(compared(test::store_sized(seeded.image())), LayersMismatch::seed);
}

}  // namespace
}  // namespace bloomsketch::bloom
