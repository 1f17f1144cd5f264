// Cuckoo filters: what they find, count, remove and refuse.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "cuckoo_building.hpp"
#include "random.hpp"

namespace bloomsketch::cuckoo {
namespace {

using test::CuckooBuilding;
using test::Image;
using test::Random;

TEST(Cuckoo, EmptyHasNothing)
{
	const CuckooBuilding building(1'000, 0.01, 5);
	const Filter filter = building.filter();
	EXPECT_EQ(filter.items(), 0u);
	EXPECT_TRUE(filter.kind().is_none());
	EXPECT_EQ(filter.seed(), 5);
	EXPECT_EQ(filter.parameters(), (Parameters{1'000, 0.01, 5}));
	EXPECT_EQ(filter.expected_rate(), 0);
	EXPECT_EQ(filter.check(), Malformed::no);
	for (std::uint64_t value = 0; value < 10'000; ++value)
		ASSERT_FALSE(filter.contains(hash_word(value, 5)));
}

TEST(Cuckoo, NothingIsDeniedUpToTheCapacity)
{
	for (const double rate : {0.9, 0.1, 0.01, 0.001, 1e-5, 2e-9})
		for (const std::uint64_t capacity : {1u, 10u, 1'000u, 20'000u}) {
			CuckooBuilding building(capacity, rate);
			for (std::uint64_t value = 0; value < capacity; ++value) {
				ASSERT_EQ(building.add(hash_word(value, 0)), Change::done);
				ASSERT_EQ(building.filter().items(), value + 1);
			}
			for (std::uint64_t value = 0; value < capacity; ++value)
				ASSERT_TRUE(building.filter().contains(hash_word(value, 0)));
			EXPECT_LE(building.filter().expected_rate(), rate);
			EXPECT_EQ(building.filter().check(), Malformed::no);
		}
}

// The rate is that of n values in M (2^f - 1) pairs, and the measured one within 3
// standard deviations of it: of as many probes, and of filters, where so many pairs
// being taken is a matter of chance: n values leave n^2 / (2 pairs) less, give or
// take the root of that.
TEST(Cuckoo, MeasuredRatesAreTheExpectedOnes)
{
	constexpr std::uint64_t capacity = 1'000'000;
	const struct {
		double rate, expected;
		std::uint64_t probes;
	} cases[] = {{0.1, 0.0582, 3'000'000}, {0.01, 0.0074, 10'000'000}, {0.001, 0.00093, 10'000'000}};
	for (const auto &[rate, near, probes] : cases) {
		CuckooBuilding building(capacity, rate);
		for (std::uint64_t value = 0; value < capacity; ++value)
			ASSERT_EQ(building.add(hash_word(value, 0)), Change::done);
		const Filter filter = building.filter();
		const double expected = filter.expected_rate();
		EXPECT_LE(expected, rate);
		EXPECT_NEAR(expected, near, 0.01 * near);
		double found = 0;
		for (std::uint64_t value = capacity; value < capacity + probes; ++value)
			found += filter.contains(hash_word(value, 0));
		const double pairs = static_cast<double>(filter.geometry().half * filter.geometry().fingerprints());
		const double of_filters = capacity / std::sqrt(2 * pairs) / pairs;
		const double of_probes = std::sqrt(expected / static_cast<double>(probes));
		EXPECT_NEAR(found / static_cast<double>(probes), expected, 3 * std::hypot(of_filters, of_probes)) << rate;
	}
}

// The data set that all filters are compared with.
TEST(Cuckoo, AMillionEmails)
{
	constexpr std::uint64_t million = 1'000'000;
	const auto hash_email = [](std::uint64_t i) {
		char text[64];
		const int length = std::snprintf(text, sizeof(text), "user%llu@example.com", static_cast<unsigned long long>(i));
		return hash_bytes(text, static_cast<std::size_t>(length), 0);
	};
	CuckooBuilding building(million, 0.01);
	for (std::uint64_t i = 0; i < million; ++i)
		ASSERT_EQ(building.add(hash_email(i)), Change::done);
	std::uint64_t denied = 0, found = 0;
	for (std::uint64_t i = 0; i < million; ++i)
		denied += !building.filter().contains(hash_email(i));
	for (std::uint64_t i = million; i < 2 * million; ++i)
		found += building.filter().contains(hash_email(i));
	EXPECT_EQ(denied, 0u);
	EXPECT_NEAR(static_cast<double>(found), 0.0074 * million, 300);  // 3 sigma are 258, and 0.0074 is rounded
	for (std::uint64_t i = 0; i < million; i += 2)
		ASSERT_TRUE(building.remove(hash_email(i)));
	for (std::uint64_t i = 1; i < million; i += 2)
		denied += !building.filter().contains(hash_email(i));
	EXPECT_EQ(denied, 0u);
	EXPECT_EQ(building.filter().items(), million / 2);
}

TEST(Cuckoo, CopiesAreCounted)
{
	CuckooBuilding building(100, 0.001);
	const Hash64 hash = hash_word(7, 0);
	for (int copies = 1; copies <= 8; ++copies) {
		ASSERT_EQ(building.add(hash), Change::done);
		ASSERT_EQ(building.filter().count(hash), copies);
	}
	const Image full = building.image();
	EXPECT_EQ(building.add(hash), Change::copies);
	EXPECT_EQ(building.image(), full);
	for (int copies = 8; copies > 0; --copies) {
		ASSERT_TRUE(building.filter().contains(hash));
		ASSERT_TRUE(building.remove(hash));
		ASSERT_EQ(building.filter().count(hash), copies - 1);
	}
	EXPECT_EQ(building.image(), CuckooBuilding(100, 0.001).image()) << "the kind of value is gone, too";
	EXPECT_FALSE(building.remove(hash));
	EXPECT_EQ(building.image(), CuckooBuilding(100, 0.001).image());
}

// Eight copies take both buckets of a value, out of which all others can move, unless
// they go to buckets that are taken in the same way.
TEST(Cuckoo, EightCopiesFitBesideOthers)
{
	for (std::int64_t seed = 0; seed < 20; ++seed) {
		CuckooBuilding building(10'000, 0.01, seed);
		for (std::uint64_t value = 0; value < 9'900; ++value)
			ASSERT_EQ(building.add(hash_word(value, seed)), Change::done);
		for (int copy = 0; copy < 8; ++copy)
			ASSERT_EQ(building.add(hash_word(10'000, seed)), Change::done);
		ASSERT_EQ(building.filter().count(hash_word(10'000, seed)), 8);
		for (std::uint64_t value = 0; value < 9'900; ++value)
			ASSERT_TRUE(building.filter().contains(hash_word(value, seed)));
	}
}

TEST(Cuckoo, RemovingIsNoticedWhereNothingIsThere)
{
	CuckooBuilding building(1'000, 0.001);
	for (std::uint64_t value = 0; value < 1'000; ++value)
		ASSERT_EQ(building.add(hash_word(value, 0)), Change::done);
	const Image before = building.image();
	int refused = 0;
	for (std::uint64_t value = 1'000; value < 2'000; ++value)
		if (!building.filter().contains(hash_word(value, 0))) {
			++refused;
			ASSERT_FALSE(building.remove(hash_word(value, 0)));
		}
	EXPECT_GT(refused, 990);
	EXPECT_EQ(building.image(), before);
}

// Whether all entries, and one more, have places: each entry is one of two buckets'
// four, by augmenting paths over single values. Without a place nothing changes.
class Placement {
public:
	explicit Placement(const Geometry &geometry) : geometry_(geometry), held_(geometry.buckets()) {}

	bool place(const Entry &entry)
	{
		std::set<std::uint64_t> tried;
		return place(entry, tried);
	}

private:
	bool place(const Entry &entry, std::set<std::uint64_t> &tried)
	{
		for (const std::uint64_t bucket : {entry.bucket, geometry_.other_bucket(entry)}) {
			if (!tried.insert(bucket).second)
				continue;
			if (held_[bucket].size() < 4) {
				held_[bucket].push_back(entry);
				return true;
			}
			for (Entry &each : held_[bucket])
				if (place(each, tried)) {
					each = entry;
					return true;
				}
		}
		return false;
	}

	const Geometry geometry_;
	std::vector<std::vector<Entry>> held_;
};

// A filter says that it is full only if no arrangement has room for the value: as
// long as it has no more buckets than the search may visit. And what it refuses
// changes no byte.
TEST(Cuckoo, FullOnlyWhereThereIsNoOtherWay)
{
	for (const std::uint64_t half : {4u, 7u, 40u, 150u})
		for (const int bits : {4, 10}) {
			const Geometry geometry{half, bits};
			Random random(half * 64 + static_cast<std::uint64_t>(bits));
			for (int round = 0; round < 20; ++round) {
				CuckooBuilding building({half, 0.5, 0}, geometry);
				Placement placement(geometry);
				int refused = 0;
				for (std::uint64_t i = 0; i < geometry.slots() + 10; ++i) {
					const Hash64 hash = random.next();
					const Image before = building.image();
					const Change change = building.add(hash);
					ASSERT_EQ(change == Change::done, placement.place(geometry.entry(hash)));
					if (change == Change::done)
						continue;
					++refused;
					ASSERT_EQ(building.image(), before);
				}
				ASSERT_GE(refused, 10);
			}
		}
}

// In a large filter the search is bounded: still it is full above 97 % only.
TEST(Cuckoo, LargeFiltersFillUp)
{
	for (const int bits : {4, 5, 10}) {
		const Geometry geometry{20'000, bits};
		CuckooBuilding building({100'000, 0.5, 0}, geometry);
		Random random(5);
		while (building.add(random.next()) == Change::done) {
		}
		EXPECT_GT(building.filter().load(), 0.97) << bits;
		EXPECT_EQ(building.filter().check(), Malformed::no);
	}
}

TEST(Cuckoo, UnionHasAllCopies)
{
	CuckooBuilding a(1'000, 0.01), b(1'000, 0.01);
	for (std::uint64_t value = 0; value < 500; ++value) {
		ASSERT_EQ(a.add(hash_word(value, 0)), Change::done);
		if (value < 300) {
			ASSERT_EQ(b.add(hash_word(value + 400, 0)), Change::done);
		}
	}
	const Image both = *test::unite_cuckoo(a.image(), b.image());
	const Filter filter = *test::open_cuckoo(both);
	EXPECT_EQ(filter.items(), 800u);
	EXPECT_EQ(filter.kind(), test::cuckoo_test_kind);
	for (std::uint64_t value = 0; value < 700; ++value)
		ASSERT_GE(filter.count(hash_word(value, 0)), value >= 400 && value < 500 ? 2 : 1) << value;
	EXPECT_EQ(test::cuckoo_entries_of(*test::unite_cuckoo(b.image(), a.image())), test::cuckoo_entries_of(both));
}

TEST(Cuckoo, UnionWithoutRoomIsRefused)
{
	CuckooBuilding a(1'000, 0.01), b(1'000, 0.01);
	for (std::uint64_t value = 0; value < 600; ++value) {
		ASSERT_EQ(a.add(hash_word(value, 0)), Change::done);
		ASSERT_EQ(b.add(hash_word(value + 1'000, 0)), Change::done);
	}
	EXPECT_FALSE(test::unite_cuckoo(a.image(), b.image()));
	CuckooBuilding five(1'000, 0.01), four(1'000, 0.01);
	for (int copy = 0; copy < 5; ++copy)
		ASSERT_EQ(five.add(1), Change::done);
	for (int copy = 0; copy < 4; ++copy)
		ASSERT_EQ(four.add(1), Change::done);
	EXPECT_FALSE(test::unite_cuckoo(five.image(), four.image())) << "nine copies";
	EXPECT_TRUE(test::unite_cuckoo(four.image(), four.image()));
}

TEST(Cuckoo, Compare)
{
	const auto compared = [](const Parameters &a, const Parameters &b) {
		const CuckooBuilding one(a.capacity, a.rate, a.seed), other(b.capacity, b.rate, b.seed);
		return compare(one.filter(), other.filter());
	};
	EXPECT_EQ(compared({100, 0.01, 0}, {100, 0.01, 0}), Mismatch::none);
	EXPECT_EQ(compared({100, 0.01, 0}, {101, 0.01, 0}), Mismatch::size) << "even where the geometry is the same";
	EXPECT_EQ(compared({100, 0.01, 0}, {100, 0.011, 0}), Mismatch::size);
	EXPECT_EQ(compared({100, 0.01, 0}, {100, 0.01, 1}), Mismatch::seed);
	const CuckooBuilding one({100, 0.01, 0}, {17, 10}), other({100, 0.01, 0}, {18, 10});
	EXPECT_EQ(compare(one.filter(), other.filter()), Mismatch::size);
	CuckooBuilding integers(100, 0.01), texts(100, 0.01);
	ASSERT_EQ(integers.add(1), Change::done);
	EXPECT_EQ(compare(integers.filter(), texts.filter()), Mismatch::none) << "an empty one has no kind";
	ASSERT_EQ(texts.add(1), Change::done);
	Image image = texts.image();
	Header::set_kind(image.data(), ValueType::text);
	EXPECT_EQ(compare(integers.filter(), *test::open_cuckoo(image)), Mismatch::kind);
	const Image bare = test::from_hex("411000");
	EXPECT_EQ(compare(integers.filter(), *test::open_cuckoo(bare)), Mismatch::none);
	EXPECT_EQ(*test::unite_cuckoo(bare, integers.image()), integers.image());
}

TEST(Cuckoo, OpensByAKnownHead)
{
	for (const std::int64_t seed : {0, -9}) {
		CuckooBuilding first(100, 0.01, seed);
		ASSERT_EQ(first.add(1), Change::done);
		Image image = first.image();
		State state;
		ASSERT_TRUE(State::open(image, state));
		const KnownHead known = state.known_head();
		ASSERT_EQ(first.add(2), Change::done);
		Image more = first.image();
		State again;
		ASSERT_TRUE(State::open_known(more, known, again)) << "the count may differ";
		EXPECT_EQ(again.items(), 2u);
		ASSERT_EQ(again.add(3), Change::done);
		ASSERT_EQ(first.add(3), Change::done);
		EXPECT_EQ(more, first.image());
		CuckooBuilding others[] = {CuckooBuilding(101, 0.01, seed), CuckooBuilding(100, 0.02, seed),
		                           CuckooBuilding(100, 0.01, seed + 1), CuckooBuilding(100, 0.01, seed)};
		for (CuckooBuilding &other : others) {  // the last one is empty: it has another kind
			Image different = other.image();
			EXPECT_FALSE(State::open_known(different, known, again));
		}
	}
}

}  // namespace
}  // namespace bloomsketch::cuckoo
