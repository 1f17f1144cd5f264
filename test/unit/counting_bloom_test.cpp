// Whole filters: size, rate, copies, changes in place, unions.
//
// A false positive rate that is measured on T values deviates by sqrt(rate / T),
// Poisson's; bounds are 5 such deviations.
#include <cmath>

#include <gtest/gtest.h>

#include "bloom_building.hpp"
#include "counting_bloom_building.hpp"

namespace bloomsketch::counting_bloom {
namespace {

using test::CountingBuilding;
using test::Image;
using test::open_counting;

// A filter of the bigints first .. first + count - 1.
CountingBuilding build(std::uint64_t capacity, double rate, std::uint64_t count, std::uint64_t first = 0)
{
	CountingBuilding building(capacity, rate);
	for (std::uint64_t value = first; value < first + count; ++value)
		building.add(hash_word(value, 0));
	return building;
}

Hash64 hash_of(std::uint64_t value) { return hash_word(value, 0); }

// At rest, at the load that it was made for, and no more than a hundredth off what is
// said beforehand.
TEST(CountingBloom, BitsPerValue)
{
	const struct {
		double rate;
		double most;
	} cases[] = {{0.1, 8.2}, {0.01, 17.6}, {0.001, 26.6}, {0.0001, 32.8}, {1e-6, 50.5}};
	constexpr std::uint64_t count = 200'000;
	for (const auto &[rate, most] : cases) {
		const CountingBuilding building = build(count, rate, count);
		const Image stored = building.stored();
		EXPECT_LE(8. * static_cast<double>(stored.size()) / count, most) << rate;
		const double expected = expected_size(building.filter().parameters(), building.filter().blocks());
		EXPECT_NEAR(static_cast<double>(stored.size()) / expected, 1, 0.01) << rate;
		EXPECT_EQ(test::stuck_counting(stored), 0u) << rate;
	}
}

// However often each counter was raised, a filter takes no more than what was made
// sure of beforehand.
TEST(CountingBloom, LargestImage)
{
	CountingBuilding building({1, 0.5, 0, 64}, 4);
	for (std::uint64_t value = 0; value < 20'000; ++value)
		building.add(hash_of(value));
	const Image stored = building.stored();
	EXPECT_EQ(test::stuck_counting(stored), 4u * 512);
	EXPECT_EQ(stored.size(), building.filter().head().size() + 4 * (64 + 4 + 256));
	for (const double rate : {0.5, 1e-6}) {
		const std::size_t block = rate == 0.5 ? 64 : 512;
		EXPECT_LE(largest_head + most_blocks(rate) * (5 * block + 4), bloom::largest_image);
		EXPECT_GT(largest_head + (most_blocks(rate) + 1) * (5 * block + 4), bloom::largest_image);
	}
}

TEST(CountingBloom, KeepsTheRate)
{
	for (const double rate : {0.1, 0.01, 0.0001}) {
		const Image stored = build(50'000, rate, 50'000).stored();
		const Filter filter = *open_counting(stored);
		constexpr std::uint64_t absent = std::uint64_t{1} << 40, probes = 1'000'000;
		std::uint64_t found = 0;
		for (std::uint64_t value = absent; value < absent + probes; ++value)
			found += filter.contains(hash_of(value));
		EXPECT_LE(static_cast<double>(found), 1.05 * rate * probes + 5 * std::sqrt(rate * probes)) << rate;
		for (std::uint64_t value = 0; value < 50'000; ++value)
			ASSERT_TRUE(filter.contains(hash_of(value)));
	}
}

// With every second value removed it is the Bloom filter of the others, and with all of
// them it is the empty filter.
TEST(CountingBloom, Forgets)
{
	for (const double rate : {0.02, 0.0005}) {
		constexpr std::uint64_t count = 600;
		Image image = build(count, rate, count).stored();
		test::BloomBuilding others(count, rate);
		for (std::uint64_t value = 0; value < count; value += 2) {
			image = test::remove_counting(image, hash_of(value)).value();
			others.add(hash_of(value + 1));
		}
		EXPECT_EQ(test::bloom_of_counting(image), others.image());
		for (std::uint64_t value = 1; value < count; value += 2)
			image = test::remove_counting(image, hash_of(value)).value();
		EXPECT_EQ(image, build(count, rate, 0).stored());
		EXPECT_TRUE(open_counting(image)->kind().is_none());
	}
}

// The last value may lie in any block, with others before or behind that are empty.
TEST(CountingBloom, EmptiedWhereverTheLastValueWas)
{
	for (std::uint64_t value = 0; value < 50; ++value) {
		const Image one = build(200, 0.01, 1, value).stored(), empty = build(200, 0.01, 0).stored();
		ASSERT_EQ(test::add_counting(empty, hash_of(value)), one);
		ASSERT_EQ(test::remove_counting(one, hash_of(value)), empty);
		const Image two = test::add_counting(one, hash_of(value + 1));
		ASSERT_EQ(test::remove_counting(two, hash_of(value)), build(200, 0.01, 1, value + 1).stored());
	}
}

TEST(CountingBloom, CopiesCountUpToFifteen)
{
	Image image = build(100, 0.01, 0).stored();
	for (unsigned copies = 1; copies <= 30; ++copies) {
		image = test::add_counting(image, hash_of(7));
		ASSERT_EQ(test::count_counting(image, hash_of(7)), std::min(copies, 15u));
	}
	for (int i = 0; i < 40; ++i)
		image = test::remove_counting(image, hash_of(7)).value();
	EXPECT_TRUE(open_counting(image)->contains(hash_of(7))) << "stuck for good";
	EXPECT_GT(test::stuck_counting(image), 0u);
	EXPECT_FALSE(test::remove_counting(image, hash_of(8)));
}

TEST(CountingBloom, UnionAddsCounters)
{
	const CountingBuilding a = build(500, 0.01, 300), b = build(500, 0.01, 300, 200);
	CountingBuilding both = build(500, 0.01, 300);
	for (std::uint64_t value = 200; value < 500; ++value)
		both.add(hash_of(value));
	const Image united = test::store_counting(test::unite_counting(a.stored(), b.image()));
	EXPECT_EQ(united, both.stored());
	for (std::uint64_t value = 200; value < 300; ++value)
		EXPECT_GE(test::count_counting(united, hash_of(value)), 2u);
}

TEST(CountingBloom, ParameterlessUnitesWithAny)
{
	const Image bare = test::from_hex("311000"), one = build(10, 0.01, 1).stored();
	Image written(parameterless_size);
	store_parameterless(written.data());
	EXPECT_EQ(written, bare);
	EXPECT_EQ(compare(*open_counting(bare), *open_counting(one)), Mismatch::none);
	EXPECT_EQ(compare(*open_counting(one), *open_counting(bare)), Mismatch::none);
	EXPECT_EQ(test::accept_counting(bare), bare);
	Image writable = bare;
	State state;
	EXPECT_FALSE(State::open(writable, state)) << "there is nothing to add to";
	writable = one;
	EXPECT_FALSE(State::open(writable, state)) << "at rest";
}

TEST(CountingBloom, CompareNamesWhatDiffers)
{
	const auto compared = [](const CountingBuilding &a, const CountingBuilding &b) { return compare(a.filter(), b.filter()); };
	const CountingBuilding one = build(1'000, 0.01, 1);
	EXPECT_EQ(compared(one, build(1'000, 0.01, 5)), Mismatch::none);
	EXPECT_EQ(compared(one, build(1'000, 0.01, 0)), Mismatch::none) << "no kind goes with any";
	EXPECT_EQ(compared(one, build(1'001, 0.01, 1)), Mismatch::size) << "though it has as many blocks";
	EXPECT_EQ(compared(one, build(1'000, 0.0101, 1)), Mismatch::size);
	EXPECT_EQ(compared(one, CountingBuilding(1'000, 0.01, 1)), Mismatch::seed);
	const Parameters same = one.filter().parameters();
	EXPECT_EQ(compared(one, CountingBuilding(same, one.filter().blocks() + 1)), Mismatch::size);
	Image text = one.image();
	text[2] = ValueKind(ValueType::text).code;
	EXPECT_EQ(compare(one.filter(), *open_counting(text)), Mismatch::kind);
}

// A head that was read before is known again by its bytes, and by nothing else.
TEST(CountingBloom, KnowsHeads)
{
	for (const std::int64_t seed : {0, 7}) {
		CountingBuilding building({500, 0.01, seed, 7}, 10);
		building.add(1);
		const KnownHead known = building.state().known_head();
		Image other = CountingBuilding({500, 0.01, seed, 7}, 10).image();
		State like;
		EXPECT_FALSE(State::open_known(other, known, like)) << "of no kind of value";
		other[2] = test::counting_test_kind.code;
		ASSERT_TRUE(State::open_known(other, known, like));
		like.add(1);
		EXPECT_EQ(other, building.image());
		for (std::size_t at = 0; at < known.head().size(); ++at) {
			Image changed = building.image();
			changed[at] ^= 1;
			EXPECT_FALSE(State::open_known(changed, known, like)) << "byte " << at;
		}
		Image longer = building.image();
		longer.insert(longer.end(), 256, 0);
		EXPECT_FALSE(State::open_known(longer, known, like));
		Image full = building.image();  // 16 hashes can't wait
		full[full.size() - tail_size] = waiting_hashes;
		EXPECT_FALSE(State::open_known(full, known, like));
		EXPECT_FALSE(State::open(full, like));
	}
}

}  // namespace
}  // namespace bloomsketch::counting_bloom
