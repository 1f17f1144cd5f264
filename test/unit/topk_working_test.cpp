// The parts of the working form beside slow and plain versions of themselves.
#include <gtest/gtest.h>

#include "topk_building.hpp"
#include "random.hpp"

namespace bloomsketch::topk {
namespace {

using test::bytes_of;
using test::Image;
using test::Random;

// ---- minima.hpp

// Counts that rise, one by one at random or where the search says; each answer is one
// of the least.
void check_minima(std::uint32_t count, std::uint32_t block_bits, std::uint64_t most_rise, std::uint64_t seed)
{
	Random random(seed);
	Image counts(count * 8), bounds((((count - 1) >> block_bits) + 1) * 8);
	const auto at = [&](std::uint32_t i) { return load_le<std::uint64_t>(counts.data() + i * 8); };
	const auto raise = [&](std::uint32_t i) { store_le(counts.data() + i * 8, at(i) + 1 + random.below(most_rise)); };
	for (std::uint32_t i = 0; i < count; ++i)
		raise(i);
	std::uint32_t cursor = 0;
	for (int round = 0; round < 3'000; ++round) {
		for (std::uint64_t hits = random.below(4); hits > 0; --hits)
			raise(static_cast<std::uint32_t>(random.below(count)));
		Minima minima(counts.data(), count, bounds.data(), block_bits);
		const std::uint32_t found = minima.least(cursor);
		std::uint64_t least = at(0);
		for (std::uint32_t i = 1; i < count; ++i)
			least = std::min(least, at(i));
		ASSERT_LT(found, count);
		ASSERT_EQ(at(found), least) << round;
		if (random.below(8) != 0)
			raise(found);
	}
}

TEST(TopkWorking, MinimaAreMinimal)
{
	for (const std::uint32_t count : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 300u, 1'000u})
		for (const std::uint32_t block_bits : {0u, 1u, 5u, 10u})
			for (const std::uint64_t most_rise : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 40})
				check_minima(count, block_bits, most_rise, count + block_bits);
}

// ---- index.hpp

class PlainIndex {
public:
	explicit PlainIndex(std::uint32_t room)
		: room_(room), buckets_(Index::buckets_size * room), links_(Index::link_size * room), hashes_(room * 8)
	{
	}
	Index index() { return {buckets_.data(), links_.data(), hashes_.data(), room_}; }

	void check(Random &random, Hash64 (*draw)(Random &))
	{
		for (int round = 0; round < 5'000; ++round) {
			const Hash64 hash = draw(random);
			const auto known = counters_.find(hash);
			const std::uint32_t found = index().find(hash);
			ASSERT_EQ(found, known == counters_.end() ? Index::none : known->second);
			if (found != Index::none) {
				index().remove(found);
				free_.push_back(found);
				counters_.erase(hash);
			} else if (counters_.size() < room_) {
				const std::uint32_t counter = take_free();
				store_le(hashes_.data() + counter * 8, hash);
				index().insert(hash, counter);
				counters_[hash] = counter;
			}
		}
		for (const auto &[hash, counter] : counters_)
			ASSERT_EQ(index().find(hash), counter);
	}

private:
	std::uint32_t take_free()
	{
		if (free_.empty())
			return static_cast<std::uint32_t>(counters_.size());
		const std::uint32_t counter = free_.back();
		free_.pop_back();
		return counter;
	}

	std::uint32_t room_;
	Image buckets_, links_, hashes_;
	std::map<Hash64, std::uint32_t> counters_;
	std::vector<std::uint32_t> free_;
};

TEST(TopkWorking, IndexFindsAndForgets)
{
	Random random(1);
	for (const std::uint32_t room : {1u, 3u, 100u, 1'000u}) {
		PlainIndex(room).check(random, [](Random &r) { return Random::mix(r.below(300)); });
		// All in one bucket, with tags of their own or one for all; the ends.
		PlainIndex(room).check(random, [](Random &r) { return r.below(300); });
		PlainIndex(room).check(random, [](Random &r) { return r.below(300) << 20; });
		PlainIndex(room).check(random, [](Random &r) { return UINT64_MAX - r.below(300) * r.below(2); });
	}
}

// ---- text_arena.hpp

// An arena and the texts that should be in it.
class PlainArena {
public:
	static constexpr std::uint32_t counters = 50;

	PlainArena(std::size_t longest, Random &random)
		: longest_(longest), random_(random), bytes_(counters * TextArena::record_size(longest)), offsets_(counters * 4),
		  lengths_(counters * 2)
	{
		for (std::uint32_t i = 0; i < counters; ++i) {
			texts_.push_back(draw());
			TextArena arena = this->arena();
			EXPECT_TRUE(arena.put(i, bytes_of(texts_.back())));
			used_ = arena.used();
		}
	}

	// Another one is made each time, as for each row.
	TextArena arena() { return {bytes_, used_, offsets_.data(), lengths_.data()}; }

	// Gives a counter another text; false where the arena has to be compacted first.
	bool replace(std::uint32_t counter, const std::string &text)
	{
		TextArena arena = this->arena();
		if (!arena.replace(counter, bytes_of(text)))
			return false;
		texts_[counter] = text;
		used_ = arena.used();
		return true;
	}

	void compact()
	{
		TextArena arena = this->arena();
		arena.compact(counters);
		used_ = arena.used();
	}

	bool holds_its_texts()
	{
		for (std::uint32_t i = 0; i < counters; ++i)
			if (test::string_of(arena().text(i)) != texts_[i])
				return false;
		return used_ <= bytes_.size();
	}

	// What the texts take at least.
	std::size_t live() const
	{
		std::size_t sum = 0;
		for (const std::string &each : texts_)
			sum += TextArena::record_size(each.size());
		return sum;
	}

	std::size_t used() const { return used_; }
	std::string draw() { return std::string(random_.below(longest_ + 1), static_cast<char>('a' + random_.below(26))); }

private:
	std::size_t longest_;
	Random &random_;
	Image bytes_, offsets_, lengths_;
	std::vector<std::string> texts_;
	std::size_t used_ = 0;
};

TEST(TopkWorking, ArenaKeepsTexts)
{
	for (const std::size_t longest : {3u, 40u, 1'000u}) {
		Random random(longest);
		PlainArena plain(longest, random);
		for (int round = 0; round < 20'000; ++round) {
			const auto counter = static_cast<std::uint32_t>(random.below(PlainArena::counters));
			const std::string text = plain.draw();
			if (!plain.replace(counter, text)) {
				plain.compact();
				ASSERT_TRUE(plain.replace(counter, text)) << round;
			}
			ASSERT_EQ(plain.arena().live(PlainArena::counters), plain.live());
			ASSERT_TRUE(round % 100 != 0 || plain.holds_its_texts()) << round;
		}
	}
}

// A refused text leaves the arena as it is, and compacting no more than what is in use.
TEST(TopkWorking, ArenaIsCompacted)
{
	for (const std::size_t longest : {3u, 40u, 1'000u}) {
		Random random(longest);
		PlainArena plain(longest, random);
		std::uint32_t compacted = 0;
		for (int round = 0; round < 5'000; ++round) {
			const auto counter = static_cast<std::uint32_t>(random.below(PlainArena::counters));
			if (plain.replace(counter, plain.draw()))
				continue;
			++compacted;
			ASSERT_TRUE(plain.holds_its_texts()) << round;
			plain.compact();
			ASSERT_EQ(plain.used(), plain.live());
			ASSERT_TRUE(plain.holds_its_texts()) << round;
		}
		EXPECT_EQ(compacted > 0, longest > 3) << "records of one size are used again";
	}
}

// ---- layout.hpp

// Whatever is asked for fits, and fields of 8 bytes are aligned behind a length word
// that is.
TEST(TopkWorking, Layouts)
{
	Random random(1);
	for (const std::uint32_t k : {1u, 101u, 10'000u})
		for (const std::int64_t seed : {0, 1})
			for (int round = 0; round < 2'000; ++round) {
				const std::uint32_t m = counters_for(k);
				const auto counters = static_cast<std::uint32_t>(round % 4 == 0 ? m : round % 4 == 1 ? m - 1 : 1 + random.below(m));
				const std::size_t texts = counters * 8 + random.below(counters * 100);
				const Layout layout = Layout::holding({k, seed}, counters, texts);
				ASSERT_GE(layout.head.room, counters);
				ASSERT_EQ(layout.head.room == m, counters == m);
				ASSERT_GE(layout.size, layout.head.arena_at() + texts);
				ASSERT_EQ((4 + layout.head.counts_at()) % 8, 0u);
				ASSERT_EQ((4 + layout.head.minima_at()) % 8, 0u);
				ASSERT_LE(layout.size, 2 * (layout.head.arena_at() + texts) + 256);
			}
}

}  // namespace
}  // namespace bloomsketch::topk
