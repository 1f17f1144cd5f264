// What Top-K sketches refuse, unchanged, and what they take.
#include <gtest/gtest.h>

#include "topk_truth.hpp"

namespace bloomsketch::topk {
namespace {

using test::Image;
using test::Random;
using test::topk_hash;
using test::topk_text;
using test::TopkBuilding;

constexpr Parameters smallest{1, 0};  // 1,000 counters

TEST(TopkLimits, LongTexts)
{
	TopkBuilding building(smallest);
	const std::string longest(longest_text, 'x'), too_long = longest + "x";
	EXPECT_EQ(building.add(1, 1, too_long), Change::text_too_long);
	EXPECT_EQ(building.state().used(), 0u);
	EXPECT_TRUE(building.state().kind().is_none());
	EXPECT_EQ(building.add(1, 1, longest), Change::done);
	EXPECT_EQ(building.add(2, 1, "short"), Change::done);
	const Image before = building.store();
	EXPECT_EQ(building.add(3, 1, too_long), Change::text_too_long);
	EXPECT_EQ(building.add(1, 1, std::string(longest_text + 1, 'a')), Change::text_too_long) << "to replace a text";
	EXPECT_EQ(building.add(1, 1, too_long), Change::text_too_long) << "though it is not the smaller one";
	EXPECT_EQ(building.store(), before);
	EXPECT_EQ(test::accept_topk(building.store()), building.store());
	// In a full one.
	for (std::uint64_t i = 0; i < 1'000; ++i)
		building.add(topk_hash(i), 1, topk_text(i));
	ASSERT_TRUE(building.state().is_full());
	const Image full = building.store();
	EXPECT_EQ(building.add(5, 1, too_long), Change::text_too_long);
	EXPECT_EQ(building.store(), full);
	EXPECT_EQ(building.add(5, 1, longest), Change::done);
	EXPECT_EQ(test::entries_of(building.store()).at(5).text, longest);
}

// Up to 64 MB, to the byte.
TEST(TopkLimits, MuchText)
{
	TopkBuilding building({10'000, 0});
	const std::string longest(longest_text, 'x');
	const std::uint64_t count = most_text / longest_text;
	for (std::uint64_t i = 0; i < count; ++i)
		ASSERT_EQ(building.add(topk_hash(i), 1, longest), Change::done);
	const std::string rest(most_text - count * longest_text, 'x');
	const auto is_unchanged_by = [&](Hash64 hash, const std::string &text) {
		const std::uint32_t used = building.state().used();
		const std::uint64_t total = building.state().total();
		EXPECT_EQ(building.add(hash, 1, text), Change::texts_too_large);
		return building.state().used() == used && building.state().total() == total;
	};
	EXPECT_TRUE(is_unchanged_by(1, rest + "x"));
	EXPECT_EQ(building.add(1, 1, rest), Change::done);
	EXPECT_TRUE(is_unchanged_by(2, "x"));
	EXPECT_EQ(building.add(1, 1, "a"), Change::done) << "less, in place of a text";
	EXPECT_TRUE(is_unchanged_by(1, "X" + rest));
	EXPECT_EQ(building.add(1, 1, "X" + rest.substr(1)), Change::done);
	EXPECT_TRUE(is_unchanged_by(2, "x"));
	EXPECT_EQ(building.add(2, 1, ""), Change::done);
	EXPECT_EQ(building.add(topk_hash(0), 1, longest), Change::done) << "what has a counter";
	EXPECT_LT(building.image().size(), std::size_t{128} << 20);
	const Image full = building.store();
	EXPECT_EQ(test::accept_topk(full), full);
	Change change;
	TopkBuilding other({10'000, 0});
	other.add(3, 1, "x");
	EXPECT_EQ(test::try_to_unite_topk(full, other.store(), change), std::nullopt);
	EXPECT_EQ(change, Change::texts_too_large);
	TopkBuilding same({10'000, 0});
	same.add(topk_hash(1), 1, std::string(longest_text - 1, 'x'));
	same.add(3, 1, "x");
	EXPECT_TRUE(test::try_to_unite_topk(full, same.store(), change)) << "a byte less for one of them";
}

TEST(TopkLimits, TotalsStop)
{
	TopkBuilding building(smallest);
	building.add(1, max_total - 2, "one");
	building.add(2, 1, "two");
	EXPECT_EQ(building.state().total(), max_total - 1);
	const Image before = building.store();
	for (const std::uint64_t weight : {std::uint64_t{2}, max_total}) {
		EXPECT_EQ(building.add(1, weight, "a smaller text"), Change::total_out_of_range);
		EXPECT_EQ(building.add(3, weight, "three"), Change::total_out_of_range);
	}
	EXPECT_EQ(building.store(), before);
	EXPECT_EQ(building.add(3, 1, "three"), Change::done);
	EXPECT_EQ(building.state().total(), max_total);
	EXPECT_EQ(test::accept_topk(building.store()), building.store());
	EXPECT_EQ(building.add(1, 1, "one"), Change::total_out_of_range);
	EXPECT_EQ(building.add(1, 0, "one"), Change::done);
	// In a full one.
	TopkBuilding full(smallest);
	for (std::uint64_t i = 0; i < 1'000; ++i)
		full.add(topk_hash(i), 1 + i, topk_text(i));
	full.add(topk_hash(999), max_total - full.state().total() - 1, topk_text(999));
	const Image stored = full.store();
	EXPECT_EQ(full.add(5, 2, "x"), Change::total_out_of_range);
	EXPECT_EQ(full.store(), stored);
	EXPECT_EQ(full.add(5, 1, "x"), Change::done);
	EXPECT_EQ(test::entries_of(full.store()).at(5), (test::TopkEntry{2, 1, "x"}));
	EXPECT_EQ(test::accept_topk(full.store()), full.store());
}

// With PostgreSQL's length word of 4 bytes.
TEST(TopkLimits, Sizes)
{
	for (const std::int64_t seed : {0, 1}) {
		TopkBuilding few({10, seed});
		for (std::uint64_t i = 0; i < 3; ++i)
			few.add(topk_hash(i), 1, "twelve bytes");
		EXPECT_LE(few.image().size() + 4, 256u) << "three values";
		TopkBuilding many({100, seed});
		for (std::uint64_t i = 0; i < 1'000; ++i)
			many.add(topk_hash(i), 1, "twelve bytes");
		EXPECT_LE(many.image().size() + 4, 65'536u) << "1,000 values";
		for (std::uint64_t i = 0; i < 100'000; ++i)
			many.add(topk_hash(i), 1, std::string_view("twelve bytes").substr(0, Random::mix(i) % 13));
		EXPECT_LE(many.image().size() + 4, 65'536u) << "many more have come and gone";
		TopkBuilding longer_ones({100, seed});
		for (std::uint64_t i = 0; i < 4'000; ++i)
			longer_ones.add(topk_hash(i), 1, std::string_view("twelve bytes").substr(0, i / 250));
		EXPECT_LE(longer_ones.image().size() + 4, 65'536u) << "they come after short ones";
		std::size_t last = 0;
		TopkBuilding growing({10, seed});
		for (std::uint64_t i = 0; i < 1'000; ++i) {
			growing.add(topk_hash(i), 1, "twelve bytes");
			const std::size_t allocated = growing.image().size() + 4;
			EXPECT_TRUE(allocated > 8'192 || std::has_single_bit(allocated)) << allocated;
			EXPECT_GE(allocated, last);
			last = allocated;
		}
	}
}

}  // namespace
}  // namespace bloomsketch::topk
