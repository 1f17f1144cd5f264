// Sizes: against the promises, the formula in long double, and builds.
#include <cmath>

#include <gtest/gtest.h>

#include "cuckoo_building.hpp"
#include "random.hpp"

namespace bloomsketch::cuckoo {
namespace {

using test::CuckooBuilding;
using test::Random;

Geometry size_of(std::uint64_t capacity, double rate, std::int64_t seed = 0)
{
	return State::geometry_for({capacity, rate, seed});
}

constexpr std::uint64_t capacities[] = {1,     2,      5,      10,      17,        18,        100,          1'000,       4'382,
                                        4'400, 10'000, 12'345, 100'000, 1'000'000, 3'000'000, 100'000'000, 200'000'000};
constexpr double rates[] = {0.999999, 0.5, 0.41, 0.4, 0.1, 0.03, 0.01, 0.001, 1e-4, 1e-6, 1e-8, 2e-9};

// 1 - (1 - 1 / pairs)^n, the chance that at least one of n values has the
// fingerprint and the buckets of another one.
long double rate_of(std::uint64_t capacity, std::uint64_t half, int bits)
{
	const long double pairs = static_cast<long double>(half) * (std::exp2(static_cast<long double>(bits)) - 1);
	return -std::expm1(static_cast<long double>(capacity) * std::log1p(-1 / pairs));
}

TEST(CuckooSizing, KeepsTheRateWithTheShortestFingerprints)
{
	for (const std::uint64_t capacity : capacities)
		for (const double rate : rates) {
			const Geometry geometry = size_of(capacity, rate);
			if (geometry.half == 0)
				continue;
			const long double kept = rate_of(capacity, geometry.half, geometry.bits);
			EXPECT_LE(kept, rate) << capacity << " at " << rate;
			if (geometry.bits == fewest_bits)
				continue;
			// The bound that decides is above the rate itself by less than x^2 / 12 of it.
			EXPECT_GT(rate_of(capacity, geometry.half, geometry.bits - 1) * 1.1, rate) << capacity << " at " << rate;
		}
}

TEST(CuckooSizing, LeavesTheSlotsThatWereMeasuredFree)
{
	for (const std::uint64_t capacity : capacities) {
		const long double n = static_cast<long double>(capacity);
		const long double slots = 8.0L * static_cast<long double>(half_for(capacity));
		EXPECT_GE(slots * 0.95L, n * (1 - 1e-12L)) << capacity;
		EXPECT_GE(slots * 0.98L, n + 2 * std::sqrt(n) + 6 - 1e-9L) << capacity;
		if (capacity > 17) {
			EXPECT_TRUE((slots - 8) * 0.95L < n || (slots - 8) * 0.98L < n + 2 * std::sqrt(n) + 6) << "a bucket too many";
		}
	}
	EXPECT_EQ(half_for(1), smallest_half);
	EXPECT_EQ(half_for(17), smallest_half);
	EXPECT_EQ(half_for(18), smallest_half + 1);
}

// Sizes are file format as far as filters that are to be united must be equal.
TEST(CuckooSizing, Table)
{
	const struct {
		std::uint64_t capacity;
		double rate;
		std::uint64_t half;
		int bits;
	} table[] = {{1, 0.01, 4, 5},          {10, 0.01, 4, 8},           {100, 0.01, 17, 10},       {1'000, 0.01, 137, 10},
	             {10'000, 0.01, 1'316, 10}, {10'000, 0.001, 1'316, 13}, {1'000'000, 0.01, 131'579, 10},
	             {1'000'000, 0.001, 131'579, 13}, {1'000'000, 1e-6, 131'579, 23}, {1'000'000, 2e-9, 131'579, 32},
	             {1'000'000, 0.41, 131'579, 4}, {1'000'000, 0.4, 131'579, 5}};
	for (const auto &[capacity, rate, half, bits] : table)
		EXPECT_EQ(size_of(capacity, rate), (Geometry{half, bits})) << capacity << " at " << rate;
}

// The promise: bits a value of the whole stored value, with its length word.
TEST(CuckooSizing, BitsPerValue)
{
	for (const std::uint64_t capacity : {10'000u, 10'001u, 12'345u, 20'000u, 99'999u, 1'000'000u, 77'777'777u})
		for (const std::int64_t seed : {0, 1}) {
			const auto bits = [&](double rate) {
				return 8 * static_cast<double>(State::image_size(size_of(capacity, rate, seed), seed) + 4) /
				       static_cast<double>(capacity);
			};
			EXPECT_LE(bits(0.01), 10.6) << capacity;
			EXPECT_LE(bits(0.001), 13.8) << capacity;
		}
	EXPECT_EQ(State::image_size(size_of(10, 0.01), 0), 28u + 32);
	EXPECT_EQ(State::image_size(size_of(10, 0.01, 1), 1), 36u + 32);
}

TEST(CuckooSizing, Limits)
{
	EXPECT_TRUE(is_valid_rate(2e-9));
	EXPECT_FALSE(is_valid_rate(std::nextafter(2e-9, 0)));
	EXPECT_TRUE(is_valid_rate(std::nextafter(1, 0)));
	for (const double rate : {0., -0., 1., -1., HUGE_VAL, -HUGE_VAL, std::nan("")})
		EXPECT_FALSE(is_valid_rate(rate)) << rate;
	EXPECT_EQ(size_of(largest_capacity + 1, 0.5), Geometry{});
	EXPECT_EQ(size_of(UINT64_MAX, 0.5), Geometry{});
	EXPECT_EQ(size_of(largest_capacity, 0.9), Geometry{}) << "2 GB";
	// The largest of 10 bits: as much as goes into 1 GB, to the bucket.
	std::uint64_t most = 1;
	for (std::uint64_t step = std::uint64_t{1} << 31; step != 0; step /= 2)
		if (size_of(most + step, 0.01).half != 0)
			most += step;
	const std::size_t size = State::image_size(size_of(most, 0.01), 0);
	EXPECT_LE(size, largest_image);
	EXPECT_GT(size + 10, largest_image);
	EXPECT_GT(most, 815'000'000u);
}

// The longest fingerprints keep the smallest rate in the fullest filters.
TEST(CuckooSizing, SmallestRateIsKeptAtAnyCapacity)
{
	for (std::uint64_t capacity = 1; capacity < 220'000'000; capacity += capacity / 3 + 1)
		EXPECT_LE(detail::rate_bound(static_cast<double>(capacity), size_of(capacity, smallest_rate)), smallest_rate) << capacity;
}

TEST(CuckooSizing, RebuildingHasRoom)
{
	EXPECT_EQ(capacity_to_rebuild(1, 1, 2), 2u);
	EXPECT_EQ(capacity_to_rebuild(100, 0.95, 96), 126u) << "full";
	EXPECT_EQ(capacity_to_rebuild(100, 0.5, 51), 200u) << "full of copies";
	EXPECT_EQ(capacity_to_rebuild(100, 0.95, 500), 500u) << "what a union would have had";
}

// The chance to be full before there are as many random values as the capacity is at
// most 2e-5 for small filters at 1 %, and less for large ones. More than one such in 3,000
// builds is then a matter of 0.2 % at most; the seeds are fixed.
TEST(CuckooSizing, BuildsAtCapacity)
{
	const struct {
		std::uint64_t capacity;
		double rate;
		int builds;
	} cases[] = {{17, 0.01, 3'000},    {45, 0.01, 3'000},    {100, 0.01, 3'000},  {1'000, 0.01, 1'000}, {1'000, 0.5, 300},
	             {4'382, 0.01, 300},   {10'000, 0.01, 200},  {10'000, 0.001, 20}, {10'000, 0.5, 20},    {100'000, 0.01, 10},
	             {1'000'000, 0.01, 1}, {1'000'000, 0.5, 1}};
	for (const auto &[capacity, rate, builds] : cases) {
		int full = 0;
		Random random(capacity);
		for (int i = 0; i < builds; ++i) {
			CuckooBuilding building(capacity, rate);
			for (std::uint64_t value = 0; value < capacity; ++value)
				if (building.add(random.next()) != Change::done) {
					++full;
					break;
				}
		}
		EXPECT_LE(full, 1) << capacity << " at " << rate;
	}
}

}  // namespace
}  // namespace bloomsketch::cuckoo
