// Registers and entries of single hashes, against the definitions read bit by
// bit.
#include <gtest/gtest.h>

#include "hll/entry.hpp"
#include "random.hpp"

namespace bloomsketch::hll {
namespace {

// Bit 0 is the hash's first (highest).
bool bit(Hash64 hash, int at) { return hash >> (63 - at) & 1; }

std::uint32_t leading(Hash64 hash, int count)
{
	std::uint32_t value = 0;
	for (int i = 0; i < count; ++i)
		value = value * 2 + bit(hash, i);
	return value;
}

// The position of the first 1 from bit `from` on, counted from 1; one more than
// there are bits where there is none.
int first_one(Hash64 hash, int from)
{
	int position = 1;
	while (from < 64 && !bit(hash, from)) {
		++from;
		++position;
	}
	return position;
}

Entry naive_entry(Hash64 hash, int p)
{
	const bool is_in_index = first_one(hash, p) <= index_bits - p;
	return leading(hash, index_bits) * 64 + (is_in_index ? 0 : static_cast<Entry>(first_one(hash, index_bits)));
}

template <class Use>
void each_hash(Use use)
{
	test::Random random(1);
	for (int zeros = 0; zeros <= 64; ++zeros)  // in front, behind, and in the middle
		for (int round = 0; round < 40; ++round) {
			const Hash64 hash = random.next();
			const Hash64 low = zeros == 64 ? 0 : ~Hash64{0} >> zeros;
			use(hash & low);
			use(hash & ~low);
			use(hash ^ (hash & low & ~(low >> round)));
		}
	for (int at = 0; at < 64; ++at) {
		use(Hash64{1} << at);
		use(~(Hash64{1} << at));
	}
}

TEST(Entry, RegisterOfHash)
{
	each_hash([](Hash64 hash) {
		for (int p = min_precision; p <= max_precision; ++p) {
			const Register found = register_of(hash, p);
			ASSERT_EQ(found.index, leading(hash, p));
			ASSERT_EQ(found.rank, first_one(hash, p)) << hash << " at precision " << p;
			ASSERT_LE(found.rank, max_rank(p));
		}
	});
	EXPECT_EQ(register_of(Hash64{0}, 14).rank, max_rank(14));
}

TEST(Entry, EntryOfHash)
{
	each_hash([](Hash64 hash) {
		for (int p = min_precision; p <= max_precision; ++p) {
			ASSERT_EQ(entry_of(hash, p), naive_entry(hash, p)) << hash << " at precision " << p;
			ASSERT_TRUE(is_valid(entry_of(hash, p), p));
			ASSERT_NE(entry_of(hash, p), 0u) << "0 means a free slot";
		}
	});
	// The example in entry.hpp.
	const Hash64 without = 0x5ull << 60 | 1ull << 34;
	EXPECT_EQ(entry_of(without, 4), 0x5u << 28 | 4u);
	EXPECT_EQ(register_of(without, 4).rank, 22 + 4);
	EXPECT_EQ(entry_of(without | 1ull << 38, 4) & rank_mask, 0u);
}

TEST(Entry, GivesTheRegisterOfItsHash)
{
	each_hash([](Hash64 hash) {
		for (int p = min_precision; p <= max_precision; ++p) {
			const Register direct = register_of(hash, p);
			const Register through = register_of(entry_of(hash, p), p);
			ASSERT_EQ(through.index, direct.index);
			ASSERT_EQ(through.rank, direct.rank) << hash << " at precision " << p;
		}
	});
}

TEST(Entry, ReducesToTheEntryAtTheLowerPrecision)
{
	each_hash([](Hash64 hash) {
		for (int p = min_precision; p <= max_precision; ++p)
			for (int q = min_precision; q <= p; ++q)
				ASSERT_EQ(reduce_entry(entry_of(hash, p), q), entry_of(hash, q)) << hash << " from " << p << " to " << q;
	});
}

TEST(Entry, ValidAreThoseThatHashesGive)
{
	const Entry rest = 1u << rank_bits;  // the index's last bit
	for (int p = min_precision; p <= max_precision; ++p) {
		const Entry plain = 1u << (32 - p);  // register 1, rest of the index 0
		for (const Entry index : {Entry{0}, plain}) {
			EXPECT_FALSE(is_valid(index, p));
			for (Entry rank = 1; rank <= rank_mask; ++rank)
				EXPECT_EQ(is_valid(index | rank, p), rank <= 39) << rank;
			EXPECT_TRUE(is_valid(index | rest, p));
			EXPECT_FALSE(is_valid(index | rest | 1, p));
		}
	}
}

// Reducing a dense sketch has to give a dense one: whoever has more than
// limit(p) entries has more than limit(q) for every q < p.
TEST(Entry, LimitGrowsWithPrecision)
{
	for (int p = min_precision + 1; p <= max_precision; ++p)
		EXPECT_GE(entry_limit(p), entry_limit(p - 1));
}

}  // namespace
}  // namespace bloomsketch::hll
