// Random additions, removals and unions against a multiset of values and one of
// what a filter keeps of them, 1,000,000 steps in all.
#include <map>

#include <gtest/gtest.h>

#include "cuckoo_building.hpp"
#include "random.hpp"

namespace bloomsketch::cuckoo {
namespace {

using test::CuckooBuilding;
using test::Image;
using test::Random;

// A filter and what must be in it. Values with one fingerprint and one first bucket
// are one to it, so that it counts exactly what `entries` has.
class Modelled {
public:
	explicit Modelled(const Parameters &parameters) : building_(parameters.capacity, parameters.rate, parameters.seed) {}

	// Tries to add a copy; what is refused is so for a reason and changes nothing.
	void add(Hash64 hash)
	{
		const Image before = building_.image();
		const Change change = building_.add(hash);
		if (change == Change::done) {
			++values_[hash];
			++entries_[key(hash)];
			++items_;
		} else {
			ASSERT_EQ(building_.image(), before);
			ASSERT_EQ(change == Change::copies, entries_[key(hash)] == 8);
			++refused_;
		}
		answers(hash);
	}

	// Removes a copy of a value that is in it, or finds out that none is.
	void remove(Hash64 hash)
	{
		if (values_.contains(hash)) {
			ASSERT_TRUE(building_.remove(hash)) << "a value that is in it";
			if (--values_[hash] == 0)
				values_.erase(hash);
			--entries_[key(hash)];
			--items_;
		} else if (entries_[key(hash)] == 0) {
			const Image before = building_.image();
			ASSERT_FALSE(building_.remove(hash));
			ASSERT_EQ(building_.image(), before);
		}
		answers(hash);
	}

	// Both in one, where that is possible.
	void unite(const Modelled &other)
	{
		const Image before = building_.image(), given = other.building_.image();
		std::optional<Image> both = test::unite_cuckoo(before, given);
		ASSERT_EQ(building_.image(), before);
		ASSERT_EQ(other.building_.image(), given);
		if (!both) {
			++refused_;
			return;
		}
		building_ = CuckooBuilding(*both);
		for (const auto &[hash, copies] : other.values_)
			values_[hash] += copies;
		for (const auto &[entry, copies] : other.entries_)
			entries_[entry] += copies;
		items_ += other.items_;
	}

	// All that is in it is found, and nothing is counted that isn't there.
	void check() const
	{
		const Filter filter = building_.filter();
		ASSERT_EQ(filter.items(), items_);
		ASSERT_EQ(filter.check(), Malformed::no);
		ASSERT_EQ(filter.kind().is_none(), items_ == 0);
		ASSERT_LE(items_, filter.geometry().slots());
		ASSERT_EQ(building_.image().size(), State::image_size(filter.geometry(), filter.seed()));
		for (const auto &[hash, copies] : values_) {
			ASSERT_GE(filter.count(hash), copies);
			ASSERT_EQ(filter.contains(hash), filter.count(hash) != 0);
		}
		test::CuckooEntries expected;
		for (const auto &[entry, copies] : entries_)
			expected.insert(expected.end(), static_cast<std::size_t>(copies), entry);
		ASSERT_EQ(test::cuckoo_entries_of(building_.image()), expected);
	}

	// A value that is in it, the first of all from `from` on; another one if there is none.
	Hash64 value_from(Hash64 from) const
	{
		const auto next = values_.lower_bound(from);
		return next != values_.end() ? next->first : from;
	}

	std::uint64_t items() const { return items_; }
	std::uint64_t refused() const { return refused_; }

private:
	using Key = std::pair<std::uint64_t, std::uint32_t>;

	Key key(Hash64 hash) const
	{
		const Entry entry = building_.filter().geometry().entry(hash);
		return {entry.bucket, entry.fingerprint};
	}

	void answers(Hash64 hash)
	{
		const Filter filter = building_.filter();
		ASSERT_EQ(filter.count(hash), entries_[key(hash)]);
		ASSERT_GE(filter.count(hash), values_.contains(hash) ? values_.at(hash) : 0);
		ASSERT_LE(filter.count(hash), 8);
		ASSERT_EQ(filter.items(), items_);
	}

	CuckooBuilding building_;
	std::map<Hash64, int> values_;
	std::map<Key, int> entries_;
	std::uint64_t items_ = 0;
	std::uint64_t refused_ = 0;
};

// Phases in which more is added, and others in which more is removed, so that the
// filter fills up and empties again and again.
std::uint64_t run(const Parameters &parameters, std::uint64_t values, int steps, Random &random)
{
	Modelled filter(parameters);
	std::uint64_t unions = 0;
	bool was_empty = false, is_growing = true;
	for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
		if (step % 97 == 0)
			is_growing = random.below(5) < 3;
		const Hash64 hash = Random::mix(random.below(values) + 1);
		if (random.below(200) == 0) {
			Modelled other(parameters);
			for (std::uint64_t i = random.below(parameters.capacity / 2 + 1); i > 0; --i)
				other.add(Random::mix(random.below(values) + 1));
			filter.unite(other);
			++unions;
		} else if (random.below(100) < (is_growing ? 80 : 15)) {
			filter.add(hash);
		} else {
			filter.remove(random.below(2) == 0 ? hash : filter.value_from(hash));
		}
		was_empty |= filter.items() == 0;
		if (step % 500 == 499)
			filter.check();
	}
	filter.check();
	EXPECT_GT(unions, 0u);
	if (parameters.capacity <= 20) {
		EXPECT_TRUE(was_empty);
	}
	return filter.refused();
}

TEST(CuckooModel, AMillionRandomSteps)
{
	const struct {
		Parameters parameters;
		std::uint64_t values;
		int steps;
	} cases[] = {{{10, 0.01, 0}, 8, 100'000},      {{10, 0.4, -1}, 100, 100'000},    {{20, 0.001, 0}, 3, 100'000},
	             {{100, 0.01, 7}, 60, 200'000},    {{100, 0.5, 0}, 10'000, 200'000}, {{300, 1e-6, 0}, 200, 200'000},
	             {{1'000, 0.003, 0}, 600, 100'000}};
	Random random(9);
	int steps = 0;
	for (const auto &[parameters, values, count] : cases) {
		SCOPED_TRACE(std::to_string(parameters.capacity) + " at " + std::to_string(parameters.rate));
		EXPECT_GT(run(parameters, values, count, random), 0u) << "it never was full";
		steps += count;
		if (HasFatalFailure())
			return;
	}
	EXPECT_EQ(steps, 1'000'000);
}

}  // namespace
}  // namespace bloomsketch::cuckoo
