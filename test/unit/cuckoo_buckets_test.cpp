// Where the fingerprint of a value is, and buckets of them: against plain arithmetic and
// slots one by one.
#include <cmath>

#include <gtest/gtest.h>

#include "cuckoo/buckets.hpp"
#include "random.hpp"

namespace bloomsketch::cuckoo {
namespace {

using test::Random;

// The drawing of buckets.hpp in plain arithmetic.
Entry plain_entry(Hash64 hash, const Geometry &geometry)
{
	const long double fingerprints = std::exp2(static_cast<long double>(geometry.bits)) - 1;
	const long double low = static_cast<long double>(hash & 0xFFFFFFFF);
	unsigned __int128 product = 0;
	for (std::uint64_t bit = 0; bit < 64; ++bit)
		if ((hash >> bit & 1) != 0)
			product += static_cast<unsigned __int128>(geometry.half) << bit;
	return {static_cast<std::uint64_t>(product >> 64),
	        1 + static_cast<std::uint32_t>(std::floor(low * fingerprints / 4294967296.0L))};
}

TEST(CuckooBuckets, EntriesAreThoseOfTheDrawing)
{
	Random random(1);
	for (const int bits : {4, 9, 10, 13, 31, 32})
		for (const std::uint64_t half : {std::uint64_t{4}, std::uint64_t{1'316}, std::uint64_t{1} << 28}) {
			const Geometry geometry{half, bits};
			for (int i = 0; i < 1'000; ++i) {
				const Hash64 hash = random.next();
				ASSERT_EQ(geometry.entry(hash), plain_entry(hash, geometry));
			}
			ASSERT_EQ(geometry.entry(0), (Entry{0, 1}));
			ASSERT_EQ(geometry.entry(~Hash64{0}), (Entry{half - 1, static_cast<std::uint32_t>(geometry.fingerprints())}));
		}
}

// A value's two buckets lie in two halves and each is the other's other one.
TEST(CuckooBuckets, TheOtherBucketOfTheOtherIsTheFirst)
{
	Random random(2);
	for (const int bits : {4, 10, 32})
		for (const std::uint64_t half : {std::uint64_t{4}, std::uint64_t{5}, std::uint64_t{1'316}, (std::uint64_t{1} << 28) - 1}) {
			const Geometry geometry{half, bits};
			for (int i = 0; i < 1'000; ++i) {
				const Entry entry = geometry.entry(random.next());
				const Entry other = geometry.other(entry);
				ASSERT_LT(entry.bucket, half);
				ASSERT_GE(other.bucket, half);
				ASSERT_LT(other.bucket, 2 * half);
				ASSERT_EQ(geometry.other(other), entry);
			}
		}
}

// Chi square of how often each is hit, c of them by n values: mean c - 1, deviation
// sqrt(2 (c - 1)); within 4 of those, which is missed once in 16,000.
double deviations_from_even(const std::vector<double> &hits)
{
	double n = 0, chi = 0;
	for (const double hit : hits)
		n += hit;
	const double c = static_cast<double>(hits.size());
	for (const double hit : hits)
		chi += (hit - n / c) * (hit - n / c) / (n / c);
	return (chi - (c - 1)) / std::sqrt(2 * (c - 1));
}

TEST(CuckooBuckets, ValuesAreSpreadEvenly)
{
	const Geometry geometry{1'000, 10};
	std::vector<double> fingerprints(geometry.fingerprints()), first(1'000), second(1'000), both(1'000);
	for (std::uint64_t value = 0; value < 200'000; ++value) {
		const Entry entry = geometry.entry(hash_word(value, 0));
		const std::uint64_t other = geometry.other_bucket(entry) - 1'000;
		++fingerprints.at(entry.fingerprint - 1);
		++first.at(entry.bucket);
		++second.at(other);
		++both.at((entry.fingerprint * 7 + other) % 1'000);  // they do not depend on each other
	}
	for (const auto &hits : {fingerprints, first, second, both})
		EXPECT_LT(std::abs(deviations_from_even(hits)), 4);
}

// Every width at every bit of a byte that buckets begin with, and at either end.
TEST(CuckooBuckets, SlotsDoNotTouchEachOther)
{
	Random random(3);
	for (int bits = fewest_bits; bits <= most_bits; ++bits) {
		const Geometry geometry{5, bits};
		std::vector<std::uint8_t> body(geometry.body_size(), 0);
		std::vector<std::uint32_t> expected(geometry.slots(), 0);
		for (int i = 0; i < 2'000; ++i) {
			const std::uint64_t at = random.below(expected.size());
			expected[at] = static_cast<std::uint32_t>(random.next() & geometry.fingerprints());
			put_bits(body, at * static_cast<std::size_t>(bits), expected[at], bits);
		}
		for (std::uint64_t at = 0; at < expected.size(); ++at)
			ASSERT_EQ(fingerprint_at(body, geometry.first_bit(at / 4), static_cast<int>(at % 4), bits), expected[at]) << bits;
	}
}

// Against slots one by one: buckets that are read at once and others, with fingerprints
// that differ in one bit, in all slots and none, and what lies around them.
TEST(CuckooBuckets, FingerprintsAreFoundAndCounted)
{
	Random random(4);
	for (int bits = fewest_bits; bits <= most_bits; ++bits) {
		const Geometry geometry{4, bits};
		std::vector<std::uint8_t> body(geometry.body_size());
		for (int round = 0; round < 3'000; ++round) {
			const auto fingerprint = static_cast<std::uint32_t>(random.next() & geometry.fingerprints());
			for (std::uint64_t at = 0; at < geometry.slots(); ++at) {
				const std::uint64_t flip = std::uint64_t{1} << random.below(static_cast<std::uint64_t>(bits));
				const std::uint64_t near[] = {fingerprint,     fingerprint, fingerprint ^ flip, 0, geometry.fingerprints(),
				                              random.next() & geometry.fingerprints()};
				put_bits(body, at * static_cast<std::size_t>(bits), near[random.below(6)], bits);
			}
			for (std::uint64_t bucket = 0; bucket < geometry.buckets(); ++bucket)
				for (const std::uint32_t wanted : {fingerprint, std::uint32_t{0}, static_cast<std::uint32_t>(geometry.fingerprints())}) {
					int count = 0, first = -1;
					for (int slot = slots_in_bucket - 1; slot >= 0; --slot)
						if (fingerprint_at(body, geometry.first_bit(bucket), slot, bits) == wanted)
							++count, first = slot * bits;
					ASSERT_EQ(count_in_bucket(body, geometry.first_bit(bucket), wanted, bits), count) << bits;
					ASSERT_EQ(find_in_bucket(body, geometry.first_bit(bucket), wanted, bits), first) << bits;
				}
		}
	}
}

}  // namespace
}  // namespace bloomsketch::cuckoo
