// Count-Min sketches: counting, forms and their boundaries, totals, taking away.
#include <map>

#include <gtest/gtest.h>

#include "cms_building.hpp"
#include "random.hpp"

namespace bloomsketch::cms {
namespace {

using test::CmsBuilding;
using test::Image;
using test::Random;
using test::store_cms;

constexpr Parameters small{0.02, 0.01, 0};  // 136 x 5

CmsBuilding build(const Parameters &parameters, std::uint64_t first, std::uint64_t last, std::uint64_t weight = 1)
{
	CmsBuilding building(parameters);
	for (std::uint64_t i = first; i < last; ++i)
		building.add(Random::mix(i), weight);
	return building;
}

Form form_at_rest(const CmsBuilding &building) { return test::open_cms(store_cms(building.sketch()))->form(); }

// Counters kept one by one.
struct Plain {
	Geometry geometry;
	std::map<std::uint32_t, std::uint64_t> counters;

	void add(Hash64 hash, std::uint64_t weight)
	{
		for (std::uint32_t row = 0; row < geometry.depth; ++row)
			counters[row * geometry.width + column_of(hash, row, geometry.width)] += weight;
	}
	std::uint64_t count(Hash64 hash)
	{
		std::uint64_t least = UINT64_MAX;
		for (std::uint32_t row = 0; row < geometry.depth; ++row)
			least = std::min(least, counters[row * geometry.width + column_of(hash, row, geometry.width)]);
		return least;
	}
};

TEST(Cms, SharesAndGeometry)
{
	for (const double share : {0., -0., 1., -0.1, 1.5, HUGE_VAL, -HUGE_VAL, std::nan("")})
		EXPECT_FALSE(is_valid_share(share)) << share;
	for (const double share : {0x1p-1074, 0.5, 1 - 0x1p-53})
		EXPECT_TRUE(is_valid_share(share)) << share;
	EXPECT_EQ(geometry_for({}), (Geometry{2'719, 5}));
	EXPECT_FALSE(geometry_for({1e-7, 0.3}).fits()) << "27,182,819 x 2 are more than 2^25";
	EXPECT_TRUE(geometry_for({1e-7, 0.5}).fits());
	EXPECT_FALSE(geometry_for({0x1p-1074, 0x1p-1074}).fits());
	EXPECT_TRUE((Geometry{1u << 25, 1}).fits());
	EXPECT_FALSE((Geometry{(1u << 25) + 1, 1}).fits());
	EXPECT_FALSE((Geometry{1u << 16, 1u << 16}).fits()) << "2^32 counters are 0 in 32 bits";
}

// The outputs of SplitMix64 for state 0 are known: e220a8397b1dcdaf and so on.
TEST(Cms, Columns)
{
	const std::uint64_t outputs[] = {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC};
	for (std::uint32_t row = 0; row < 4; ++row) {
		EXPECT_EQ(column_of(0, row, 1u << 25), outputs[row] >> 39);
		EXPECT_EQ(column_of(0, row, 1), 0u);
		EXPECT_EQ(column_of(0, row, 3), static_cast<unsigned __int128>(outputs[row]) * 3 >> 64);
	}
	EXPECT_EQ(column_of(row_step, 0, 1u << 25), outputs[1] >> 39) << "each output is the next state's first";
}

// Every form counts what the plain counters do.
TEST(Cms, CountsAsPlainCounters)
{
	for (const Parameters &parameters : {small, Parameters{0.5, 0.9, 0}, Parameters{0.003, 1e-6, 7}})
		for (const std::uint64_t values : {1u, 3u, 17u, 18u, 60u, 400u}) {
			Plain plain{geometry_for(parameters), {}};
			CmsBuilding building(parameters);
			for (std::uint64_t i = 0; i < values; ++i) {
				const std::uint64_t weight = i * i % 97;
				building.add(Random::mix(i), weight);
				plain.add(Random::mix(i), weight);
			}
			const Image stored = store_cms(building.sketch());
			CmsBuilding dense(stored);
			dense.make_dense();
			for (std::uint64_t i = 0; i < 2 * values; ++i) {
				const std::uint64_t expected = plain.count(Random::mix(i));
				ASSERT_EQ(building.sketch().count(Random::mix(i)), expected);
				ASSERT_EQ(test::open_cms(stored)->count(Random::mix(i)), expected);
				ASSERT_EQ(dense.sketch().count(Random::mix(i)), expected);
				ASSERT_GE(expected, i < values ? i * i % 97 : 0);
			}
		}
}

TEST(Cms, EmptyAndWeightZero)
{
	CmsBuilding building((Parameters()));
	EXPECT_EQ(building.add(1, 0), Change::done);
	EXPECT_TRUE(building.sketch().is_empty());
	EXPECT_TRUE(building.sketch().kind().is_none());
	EXPECT_EQ(building.sketch().list().count(), 0u) << "no entry without a weight";
	EXPECT_EQ(building.sketch().count(1), 0u);
	const Image stored = store_cms(building.sketch());
	EXPECT_EQ(stored.size(), 3u + 16 + 1 + 1);
	EXPECT_EQ(building.add(1, 5), Change::done);
	const Image before = building.image();
	EXPECT_EQ(building.add(2, 0), Change::done);
	EXPECT_EQ(building.image(), before);
	CmsBuilding rest(store_cms(before));
	EXPECT_EQ(rest.add(2, 0), Change::done);
	EXPECT_EQ(rest.image(), store_cms(before));
	rest.make_dense();
	const Image dense = rest.image();
	EXPECT_EQ(rest.add(2, 0), Change::done);
	EXPECT_EQ(rest.image(), dense);
}

// Without a seed and with one, behind the length word.
TEST(Cms, ListsFillPowersOfTwo)
{
	for (const std::int64_t seed : {0, -1}) {
		CmsBuilding building({default_epsilon, default_delta, seed});
		for (std::uint64_t i = 0; i < 3; ++i)
			building.add(Random::mix(i));
		EXPECT_LE(building.image().size() + 4, 128u) << "three values";
		std::size_t largest = 0;
		for (std::uint64_t i = 3; building.sketch().is_list(); ++i) {
			const std::size_t allocated = std::bit_ceil(building.image().size() + 4);
			EXPECT_LT(allocated - building.image().size() - 4, List::slot_size);
			largest = allocated;
			building.add(Random::mix(i));
		}
		EXPECT_EQ(largest, 8'192u);
	}
}

// Lists become dense behind their limit, and are sparse at rest up to it.
TEST(Cms, ListLimit)
{
	for (const Parameters &parameters : {Parameters{}, small}) {
		const std::uint32_t limit = list_limit(geometry_for(parameters));
		EXPECT_TRUE(build(parameters, 0, limit - 1).sketch().is_list());
		CmsBuilding full = build(parameters, 0, limit);
		EXPECT_TRUE(full.sketch().is_list());
		EXPECT_EQ(full.sketch().list().count(), limit);
		EXPECT_EQ(form_at_rest(full), Form::sparse);
		full.add(Random::mix(0));
		EXPECT_TRUE(full.sketch().is_list()) << "a value that it has";
		full.add(Random::mix(limit));
		EXPECT_EQ(full.sketch().form(), Form::dense32);
	}
}

// Sparse at rest up to an eighth of all counters, to the counter.
TEST(Cms, SparseLimit)
{
	const std::uint32_t limit = sparse_limit(geometry_for(small));
	CmsBuilding building(small);
	building.make_dense();
	std::uint32_t at_limit = 0;
	for (std::uint64_t i = 0; i < 60; ++i) {
		building.add(Random::mix(i));
		const std::uint32_t used = counters_used(building.sketch());
		EXPECT_EQ(form_at_rest(building), used <= limit ? Form::sparse : Form::packed) << used;
		at_limit += used == limit || used == limit + 1;
	}
	EXPECT_GT(at_limit, 0u) << "another seed would test the limit itself";
}

// What sparse sketches unite to stays sparse while it has few counters.
TEST(Cms, UnionsStaySparse)
{
	CmsBuilding unite(store_cms(build({}, 0, 10).sketch()));
	for (std::uint64_t i = 0; i < 100; ++i) {
		unite.merge(store_cms(build({}, i, i + 10).sketch()));
		ASSERT_EQ(unite.sketch().form(), Form::sparse);
	}
	EXPECT_EQ(unite.sketch().total(), 1'010u);
	const Image list = build({}, 200, 210).image();
	unite.merge(list);
	EXPECT_EQ(unite.sketch().form(), Form::sparse) << "a list into a sparse one";
	unite.add(Random::mix(300), 7);
	EXPECT_EQ(unite.sketch().form(), Form::sparse) << "a value into a sparse one";
	CmsBuilding other(list);
	other.merge(store_cms(build({}, 0, 10).sketch()));
	EXPECT_EQ(other.sketch().form(), Form::sparse) << "a sparse one into a list";
	for (std::uint64_t i = 1'000; i < 1'400; i += 10)
		unite.merge(store_cms(build({}, i, i + 10).sketch()));
	EXPECT_EQ(unite.sketch().form(), Form::dense32);
}

// However many counters may be sparse: a union writes all of them anew at each step.
TEST(Cms, LargeUnionsAreDense)
{
	constexpr Parameters fine{1e-5, 0.01, 0};
	CmsBuilding unite(store_cms(build(fine, 0, 500).sketch()));
	unite.merge(store_cms(build(fine, 500, 800).sketch()));
	EXPECT_EQ(unite.sketch().form(), Form::sparse) << "4,000 counters, but for values that share one";
	unite.merge(store_cms(build(fine, 800, 900).sketch()));
	EXPECT_EQ(unite.sketch().form(), Form::dense32);
	EXPECT_EQ(store_cms(unite.sketch()), store_cms(build(fine, 0, 900).sketch())) << "sparse at rest all the same";
}

// Counters of 32 bits while the total fits them.
TEST(Cms, Widening)
{
	for (const std::uint64_t values : {1u, 200u}) {
		CmsBuilding building = build(small, 0, values);
		building.make_dense();
		building.add(Random::mix(0), UINT32_MAX - values);
		EXPECT_EQ(building.sketch().total(), UINT32_MAX);
		EXPECT_EQ(building.sketch().form(), Form::dense32);
		CmsBuilding merged(building.image());
		building.add(Random::mix(0), 0);
		EXPECT_EQ(building.sketch().form(), Form::dense32);
		building.add(Random::mix(0), 1);
		EXPECT_EQ(building.sketch().total(), std::uint64_t{1} << 32);
		EXPECT_EQ(building.sketch().form(), Form::dense64);
		EXPECT_GE(building.sketch().count(Random::mix(0)), (std::uint64_t{1} << 32) - values + 1);
		merged.merge(build(small, 0, 1).image());
		EXPECT_EQ(merged.sketch().form(), Form::dense64);
		EXPECT_EQ(merged.image(), building.image());
		EXPECT_TRUE(building.subtract(build(small, 0, 1).image()));
		EXPECT_EQ(building.sketch().form(), Form::dense64) << "it does not go back";
		EXPECT_EQ(test::accept_cms(building.image()), store_cms(building.sketch()));
	}
}

// In every form: up to 2^63 - 1, and no further.
TEST(Cms, TotalsStop)
{
	const Image one = build(small, 5, 6).image();
	for (const std::uint64_t values : {1u, 100u}) {
		CmsBuilding building = build(small, 0, values);
		building.add(Random::mix(0), max_total - values);
		ASSERT_EQ(building.sketch().total(), max_total);
		CmsBuilding rest(store_cms(building.sketch())), dense(building.image());
		dense.make_dense();
		for (CmsBuilding *state : {&building, &rest, &dense}) {
			const Image before = state->image();
			for (const std::uint64_t weight : {std::uint64_t{1}, max_total}) {
				EXPECT_EQ(state->add(Random::mix(1), weight), Change::too_large);
				EXPECT_EQ(state->add(Random::mix(0), weight), Change::too_large);
			}
			EXPECT_EQ(state->merge(one), Change::too_large);
			EXPECT_EQ(state->merge(store_cms(one)), Change::too_large);
			EXPECT_EQ(state->merge(before), Change::too_large);
			EXPECT_EQ(state->image(), before);
			EXPECT_EQ(test::accept_cms(before), store_cms(before));
		}
		CmsBuilding other(one);
		EXPECT_EQ(other.merge(rest.image()), Change::too_large);
		EXPECT_EQ(other.image(), one);
	}
	// The first weight of a state may be the largest one, and one more is too much.
	CmsBuilding dense(small);
	dense.make_dense();
	EXPECT_EQ(dense.add(1, 1), Change::done);
	const Image before = dense.image();
	EXPECT_EQ(dense.add(1, max_total), Change::too_large);
	EXPECT_EQ(dense.image(), before);
	EXPECT_EQ(dense.add(1, max_total - 1), Change::done);
	EXPECT_EQ(dense.sketch().count(1), max_total);
}

// A window of three days that slides gives the very bytes of uniting those three:
// sparse, dense from the first day on, or when its days together are.
TEST(Cms, SlidingWindow)
{
	for (const std::uint64_t values : {3u, 8u, 500u})
		for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1} << 24}) {
			std::vector<Image> days;
			for (std::uint64_t day = 0; day < 10; ++day)
				days.push_back(store_cms(build(small, day * values / 2, day * values / 2 + values, weight + day).sketch()));
			CmsBuilding window(days[0]);
			EXPECT_EQ(window.state().is_sparse(), values < 500);
			for (std::size_t day = 1; day < days.size(); ++day) {
				ASSERT_EQ(window.merge(days[day]), Change::done);
				if (day < 3)
					continue;
				ASSERT_TRUE(window.subtract(days[day - 3]));
				CmsBuilding fresh(days[day - 2]);
				fresh.merge(days[day - 1]);
				fresh.merge(days[day]);
				ASSERT_EQ(store_cms(window.sketch()), store_cms(fresh.sketch()));
			}
			EXPECT_EQ(window.state().is_sparse(), values == 3);
		}
}

TEST(Cms, SubtractRefuses)
{
	for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
		CmsBuilding state = build(small, 0, 100, weight);
		ASSERT_TRUE(state.state().is_dense());
		const Image before = state.image();
		const Image stored = store_cms(before);
		EXPECT_FALSE(state.subtract(store_cms(build(small, 100, 101).sketch()))) << "a value that is not there";
		EXPECT_FALSE(state.subtract(build(small, 100, 101).image())) << "a list";
		EXPECT_FALSE(state.subtract(build(small, 0, 101, weight).image())) << "more than there is";
		EXPECT_EQ(state.image(), before);
		EXPECT_TRUE(state.subtract(stored));
		EXPECT_TRUE(state.sketch().is_empty());
		EXPECT_TRUE(state.sketch().kind().is_none());
		EXPECT_EQ(store_cms(state.sketch()), store_cms(CmsBuilding(small).sketch()));
		CmsBuilding list = build(small, 0, 3);
		EXPECT_FALSE(list.subtract(list.image())) << "neither dense nor sparse";
	}
}

TEST(Cms, SubtractFromSparseRefuses)
{
	const Image stored = store_cms(build(small, 0, 5, 10).sketch());
	CmsBuilding state(stored);
	ASSERT_TRUE(state.state().is_sparse());
	EXPECT_FALSE(state.subtract(store_cms(build(small, 5, 6).sketch()))) << "a value that is not there";
	EXPECT_FALSE(state.subtract(store_cms(build(small, 0, 1, 11).sketch()))) << "more of it than there is";
	EXPECT_FALSE(state.subtract(store_cms(build(small, 0, 5, 11).sketch()))) << "a larger total";
	EXPECT_FALSE(state.subtract(store_cms(build(small, 0, 100).sketch()))) << "packed";
	EXPECT_EQ(state.image(), stored);
	EXPECT_TRUE(state.subtract(build(small, 0, 2, 10).image())) << "a list";
	EXPECT_EQ(state.image(), store_cms(build(small, 2, 5, 10).sketch()));
	EXPECT_TRUE(state.subtract(state.image()));
	EXPECT_EQ(state.image(), store_cms(CmsBuilding(small).sketch()));
}

TEST(Cms, Compare)
{
	const auto compared = [](const Image &a, const Image &b) {
		const Mismatch one = compare(*test::open_cms(a), *test::open_cms(b));
		EXPECT_EQ(compare(*test::open_cms(b), *test::open_cms(a)), one);
		return one;
	};
	const Image a = build(small, 0, 3).image(), none = test::from_hex("511000");
	EXPECT_EQ(compared(a, build(small, 5, 300).image()), Mismatch::none);
	EXPECT_EQ(compared(a, none), Mismatch::none);
	EXPECT_EQ(compared(a, build({0.02, 0.011, 0}, 0, 3).image()), Mismatch::parameters) << "of the same geometry";
	EXPECT_EQ(compared(a, build({0.0200001, 0.01, 0}, 0, 3).image()), Mismatch::parameters);
	EXPECT_EQ(compared(a, build({0.02, 0.01, 1}, 0, 3).image()), Mismatch::seed);
	Image other = a;
	Header::set_kind(other.data(), ValueType::text);
	EXPECT_EQ(compared(a, other), Mismatch::kind);
	EXPECT_EQ(compared(other, CmsBuilding(small).image()), Mismatch::none) << "an empty one";
}

TEST(Cms, Parameterless)
{
	Image none(parameterless_size);
	store_parameterless(none.data());
	EXPECT_EQ(test::to_hex(none), "511000");
	const Sketch sketch = *test::open_cms(none);
	EXPECT_TRUE(sketch.is_parameterless());
	EXPECT_TRUE(sketch.is_empty());
	EXPECT_EQ(sketch.count(1), 0u);
	EXPECT_EQ(test::accept_cms(none), none);
	State state;
	EXPECT_FALSE(State::open(none, state));
	CmsBuilding building = build(small, 0, 3);
	const Image before = building.image();
	EXPECT_EQ(building.merge(none), Change::done);
	EXPECT_EQ(building.image(), before);
}

TEST(Cms, ErrorBound)
{
	CmsBuilding building({0.001, 0.01, 0});
	building.add(1, 1'999'999);
	EXPECT_EQ(building.sketch().error_bound(), 1'999u);
	CmsBuilding widest({1 - 0x1p-53, 0.5, 0});
	widest.add(1, max_total);
	EXPECT_LE(widest.sketch().error_bound(), max_total);
}

}  // namespace
}  // namespace bloomsketch::cms
