// Whole sketches: sizes, mixed forms, reducing, looking up.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "hll_building.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

using test::HllBuilding;
using test::Image;

constexpr std::size_t length_word = 4;  // PostgreSQL's own, in front of an image

HllBuilding build(int precision, std::int64_t seed, std::uint64_t first, std::uint64_t count)
{
	HllBuilding building({precision, seed});
	for (std::uint64_t value = first; value < first + count; ++value)
		building.add(hash_word(value, seed));
	return building;
}

Image stored(const HllBuilding &building) { return test::store_hll(building.sketch()); }

TEST(Hll, OneValueTakesAtMost16Bytes)
{
	for (int p = min_precision; p <= max_precision; ++p)
		for (std::uint64_t value = 0; value < 200; ++value)
			ASSERT_LE(stored(build(p, 0, value, 1)).size() + length_word, 16u);
}

// log2(2^26 / n) + 1.5 bits an entry are 2.19 bytes at n = 1,000.
TEST(Hll, ThousandValuesTake2400Bytes)
{
	for (int p = 13; p <= max_precision; ++p)
		for (std::uint64_t round = 0; round < 20; ++round)
			ASSERT_LE(stored(build(p, 0, round << 32, 1'000)).size() + length_word, 2'400u);
}

TEST(Hll, SeedTakesEightBytes)
{
	for (const std::uint64_t count : {10u, 20'000u})
		EXPECT_EQ(test::open_hll(stored(build(10, -7, 0, count)))->header().size(), 11u);
}

// By the sizes of dense_size_test: smaller than the 2,048 entries were.
TEST(Hll, TurningDenseTakesNothing)
{
	const std::size_t sparse = stored(build(14, 0, 0, 2'048)).size();
	const std::size_t dense = stored(build(14, 0, 0, 2'100)).size();
	EXPECT_NEAR(static_cast<double>(sparse), 4'235, 40);
	EXPECT_LT(dense, 2'700u);
}

// The smallest working image, too, fits the smallest allocation it can have.
TEST(Hll, WorkingFormsFillPowersOfTwo)
{
	for (const std::int64_t seed : {0, 1})
		for (int p = min_precision; p <= max_precision; ++p)
			for (std::uint32_t entries = 0; entries <= entry_limit(p); entries += entries / 3 + 1) {
				const Layout layout = State::layout_for({p, seed}, entries);
				ASSERT_EQ(layout.form, Form::sparse_table);
				ASSERT_TRUE(std::has_single_bit(layout.size + length_word)) << layout.size;
			}
}

TEST(Hll, TurnsDenseAtAFixedNumberOfEntries)
{
	for (int p = min_precision; p <= max_precision; ++p) {
		HllBuilding building({p, 0});
		for (std::uint64_t i = 1; i <= entry_limit(p) + 1; ++i) {
			ASSERT_TRUE(building.sketch().is_sparse());
			ASSERT_EQ(building.sketch().entry_count(), i - 1);
			const Hash64 index = i * 0x9E3779B1 % (1u << index_bits);  // each its own
			building.add(index << 38 | 1);
			building.add(index << 38 | 1);
		}
		ASSERT_FALSE(building.sketch().is_sparse());
	}
}

TEST(Hll, AddSaysWhetherItChangedAnything)
{
	for (const std::uint64_t count : {9u, 5'000u}) {
		HllBuilding building = build(14, 0, 0, count);
		Image image = building.image();
		State state;
		ASSERT_TRUE(State::open(image, state));
		EXPECT_EQ(state.add(hash_word(count - 1, 0)), Change::none);
		EXPECT_EQ(image, building.image());
		EXPECT_EQ(state.add(~hash_word(0, 0) >> 20), Change::done);
		EXPECT_NE(image, building.image());
	}
}

// A head that was read knows every image that begins like it and is as long, and no other.
TEST(Hll, KnownHeads)
{
	for (const std::int64_t seed : {0, 9})
		for (const std::uint64_t count : {5u, 5'000u}) {
			HllBuilding building = build(10, seed, 0, count);
			const KnownHead known = building.state().known_head();
			Image other = build(10, seed, 1, count + 1).image();
			State state;
			ASSERT_TRUE(State::open_known(other, known, state));
			EXPECT_EQ(state.parameters(), (Parameters{10, seed}));
			EXPECT_EQ(state.add(~Hash64{0} >> 40), Change::done);
			const std::size_t head = known.head().size();
			for (std::size_t at = 0; at < head; ++at) {
				Image changed = other;
				changed[at] ^= 1;
				EXPECT_FALSE(State::open_known(changed, known, state)) << "byte " << at;
			}
			other.push_back(0);
			EXPECT_FALSE(State::open_known(other, known, state));
			EXPECT_FALSE(State::open_known({}, known, state));
		}
	Image zeros(32);
	State state;
	EXPECT_FALSE(State::open_known(zeros, KnownHead(), state));
}

TEST(Hll, StateOpensOnlyWorkingForms)
{
	State state;
	Image at_rest = stored(build(10, 0, 0, 5));
	EXPECT_FALSE(State::open(at_rest, state));
	Image dense_at_rest = stored(build(10, 0, 0, 5'000));
	EXPECT_FALSE(State::open(dense_at_rest, state));
	Image working = build(10, 9, 0, 5).image();
	ASSERT_TRUE(State::open(working, state));
	EXPECT_EQ(state.precision(), 10);
	EXPECT_EQ(state.parameters().seed, 9);
	EXPECT_EQ(state.kind(), test::test_kind);
	EXPECT_FALSE(state.is_dense());
	working.pop_back();
	EXPECT_FALSE(State::open(working, state));
}

// Every pair of precisions, sparse and dense on either side.
TEST(Hll, ReduceIsBuildingAtTheLowerPrecision)
{
	for (const std::int64_t seed : {std::int64_t{0}, std::int64_t{-3}})
		for (const std::uint64_t count : {0u, 1u, 2u, 5u, 100u, 3'000u, 40'000u}) {
			std::map<int, Image> built;
			for (int q = min_precision; q <= max_precision; ++q)
				built[q] = stored(build(q, seed, 0, count));
			for (int p = min_precision; p <= max_precision; ++p)
				for (int q = min_precision; q <= p; ++q)
					ASSERT_EQ(test::reduce_hll(built[p], q), built[q]) << count << " values from " << p << " to " << q;
		}
}

TEST(Hll, UnionOfMixedFormsIsBuildingFromAll)
{
	const std::uint64_t parts[][2] = {{0, 3'000}, {2'900, 40}, {50'000, 0}, {100'000, 20'000}, {100'000, 1}};
	HllBuilding all({14, 5});
	for (const auto &[first, count] : parts)
		all.merge(build(14, 5, first, count).sketch());
	HllBuilding direct({14, 5});
	for (const auto &[first, count] : parts)
		for (std::uint64_t value = first; value < first + count; ++value)
			direct.add(hash_word(value, 5));
	EXPECT_EQ(stored(all), stored(direct));
}

// Neighbours, as a crowd in the hash's space leaves them, find their slots at once.
TEST(Hll, NeighboursDoNotCrowd)
{
	Image body(SparseTable::count_size + 65'535 * sizeof(Entry));
	SparseTable table(body);
	const std::uint32_t first = 12'345'678;
	for (std::uint32_t index = first; index < first + entry_limit(18); ++index)
		ASSERT_EQ(table.insert(index << rank_bits | 1, entry_limit(18)), Change::done);
	for (std::uint32_t slot = 0; slot < table.slots(); ++slot)
		if (const Entry entry = table.get(slot); entry != 0) {
			ASSERT_LE(slot - SparseTable::home(entry >> rank_bits, table.slots()), 2u);
		}
}

// A dense operand makes the union dense, a sparse one leaves it sparse.
TEST(Hll, MergeAsksForRoom)
{
	const HllBuilding dense = build(14, 0, 0, 3'000);
	Image image = build(14, 0, 0, 3).image();
	State state;
	ASSERT_TRUE(State::open(image, state));
	Malformed reason = Malformed::no;
	EXPECT_EQ(state.merge(dense.sketch(), reason), Change::no_room);
	EXPECT_EQ(state.merge(build(14, 0, 0, 100).sketch(), reason), Change::no_room);
	EXPECT_EQ(state.merge(build(14, 0, 1, 2).sketch(), reason), Change::done);
	EXPECT_EQ(reason, Malformed::no);
}

TEST(Hll, MergeReportsMalformedEntries)
{
	Image broken = stored(build(14, 0, 0, 100));
	broken.resize(broken.size() - 20);
	HllBuilding building({14, 0});
	EXPECT_EQ(building.merge(*test::open_hll(broken)), Malformed::too_short);
}

TEST(Hll, RegistersUsed)
{
	for (const int p : {4, 10, 14})
		for (const std::uint64_t count : {0u, 1u, 100u, 1'000u, 5'000u}) {
			std::set<std::uint32_t> used;
			for (std::uint64_t value = 0; value < count; ++value)
				used.insert(register_of(hash_word(value, 0), p).index);
			const Image image = stored(build(p, 0, 0, count));
			EXPECT_EQ(test::open_hll(image)->registers_used(), used.size()) << "p " << p << ", " << count;
		}
}

TEST(Hll, ContainsTellsWhatAddWouldChange)
{
	for (const int p : {4, 10, 14})
		for (const std::uint64_t count : {0u, 1u, 100u, 500u, 5'000u}) {
			const HllBuilding building = build(p, 0, 0, count);
			const Image image = stored(building);
			for (std::uint64_t value = 0; value < 300; ++value) {
				const Hash64 hash = hash_word(value * 37, 0);
				HllBuilding changed = HllBuilding::copy(building.sketch(), p);
				changed.add(hash);
				ASSERT_EQ(test::open_hll(image)->contains(hash), stored(changed) == image);
			}
		}
}

// An entry with a rank holds every lower rank of its index and no higher one.
TEST(Hll, ContainsComparesRanks)
{
	const auto with_rank = [](int rank) { return Hash64{5} << 50 | Hash64{1} << (38 - rank); };
	HllBuilding building({14, 0});
	building.add(with_rank(7));
	building.add(Hash64{4} << 50 | 1);
	building.add(Hash64{6} << 50 | 1);
	const Image image = stored(building);
	for (int rank = 1; rank <= 38; ++rank)
		EXPECT_EQ(test::open_hll(image)->contains(with_rank(rank)), rank <= 7) << rank;
	EXPECT_FALSE(test::open_hll(image)->contains(with_rank(7) | Hash64{1} << 38));
}

TEST(Hll, CompareNamesTheDifference)
{
	const auto differ = [](const HllBuilding &a, const HllBuilding &b) { return compare(a.sketch(), b.sketch()); };
	const HllBuilding text({14, 0}, ValueType::text);
	const HllBuilding integers = build(14, 0, 0, 1);
	EXPECT_EQ(differ(integers, build(14, 0, 9, 5'000)), Mismatch::none);
	EXPECT_EQ(differ(integers, build(13, 0, 0, 1)), Mismatch::precision);
	EXPECT_EQ(differ(integers, build(14, 1, 0, 1)), Mismatch::seed);
	EXPECT_EQ(differ(integers, text), Mismatch::kind);
	EXPECT_EQ(differ(integers, HllBuilding({14, 0})), Mismatch::none);
	Image parameterless(parameterless_size);
	store_parameterless(parameterless.data());
	EXPECT_EQ(compare(integers.sketch(), *test::open_hll(parameterless)), Mismatch::none);
}

}  // namespace
}  // namespace bloomsketch::hll
