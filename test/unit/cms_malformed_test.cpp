// Images that open() or check() refuse, one per reason.
#include <cmath>

#include <gtest/gtest.h>

#include "cms_building.hpp"
#include "random.hpp"

namespace bloomsketch::cms {
namespace {

using test::CmsBuilding;
using test::Image;
using test::Random;
using test::store_cms;

// The reason that open() or else check() gives.
Malformed reason(const Image &image)
{
	Sketch sketch;
	const Malformed at_the_door = Sketch::open(image, sketch);
	return at_the_door != Malformed::no ? at_the_door : sketch.check();
}

Malformed reason(const std::string &hex) { return reason(test::from_hex(hex)); }

Image changed(Image image, std::size_t at, std::uint8_t value)
{
	image.at(at) = value;
	return image;
}

template <std::unsigned_integral T>
Image with(Image image, std::size_t at, T value)
{
	store_le(image.data() + at, value);
	return image;
}

Image resized(Image image, std::size_t size)
{
	image.resize(size);
	return image;
}

constexpr Parameters small{0.02, 0.01, 0};  // 136 x 5

CmsBuilding build(std::uint64_t values, bool dense = false, std::uint64_t weight = 1)
{
	CmsBuilding building(small);
	for (std::uint64_t i = 0; i < values; ++i)
		building.add(Random::mix(i), weight);
	if (dense)
		building.make_dense();
	return building;
}

Image working(std::uint64_t values, bool dense = false) { return build(values, dense).image(); }
Image stored(std::uint64_t values) { return store_cms(build(values).sketch()); }

// Offsets without a seed.
// In images at rest the total follows delta; in working ones width and depth do.
constexpr std::size_t kind_at = 2, epsilon_at = 3, delta_at = 11, rest_total_at = 19, width_at = 19, depth_at = 23, total_at = 27, body_at = 35;

TEST(CmsMalformed, Header)
{
	EXPECT_EQ(reason(""), Malformed::too_short);
	EXPECT_EQ(reason("5110"), Malformed::too_short);
	EXPECT_EQ(reason("511000"), Malformed::no) << "parameterless";
	EXPECT_EQ(reason("211000"), Malformed::other_sketch);
	EXPECT_EQ(reason("521000"), Malformed::unknown_version);
	EXPECT_EQ(reason("512000"), Malformed::unknown_hash_family);
	EXPECT_EQ(reason("511023"), Malformed::unknown_value_kind);
	EXPECT_EQ(reason("511800"), Malformed::too_short);
	EXPECT_EQ(reason("5118000000000000000000"), Malformed::zero_seed);
	for (const char *form : {"511500", "511600", "511700"})
		EXPECT_EQ(reason(form), Malformed::unknown_form);
}

TEST(CmsMalformed, Parameterless)
{
	EXPECT_EQ(reason("511002"), Malformed::not_canonical) << "a kind of no value";
	for (const char *form : {"511100", "511200", "511300", "511400"})
		EXPECT_EQ(reason(form), Malformed::bad_parameters) << "a form without parameters";
	EXPECT_EQ(reason("5118000100000000000000"), Malformed::bad_parameters) << "a seed without parameters";
}

TEST(CmsMalformed, Parameters)
{
	for (const Image &good : {stored(3), stored(200), working(3), working(200)}) {
		ASSERT_EQ(reason(good), Malformed::no);
		for (const std::size_t at : {epsilon_at, delta_at})
			for (const double share : {0., -0., 1., -0.01, 2., HUGE_VAL, -HUGE_VAL, std::nan(""), -std::nan("")})
				EXPECT_EQ(reason(with(good, at, std::bit_cast<std::uint64_t>(share))), Malformed::bad_parameters) << share;
		EXPECT_EQ(reason(with(good, epsilon_at, std::bit_cast<std::uint64_t>(0x1p-1074))), Malformed::bad_parameters)
			<< "too many counters";
		for (std::size_t size = 4; size < rest_total_at; ++size)
			EXPECT_EQ(reason(resized(good, size)), Malformed::too_short) << size;
	}
}

TEST(CmsMalformed, WorkingGeometry)
{
	for (const Image &good : {working(3), working(200)}) {
		EXPECT_EQ(reason(with(good, width_at, 0u)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with(good, depth_at, 0u)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with(good, width_at, 1u << 31)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with(good, width_at, 137u)), Malformed::bad_parameters);
		EXPECT_EQ(reason(with(good, depth_at, 4u)), Malformed::bad_parameters);
		// As many counters, otherwise arranged.
		EXPECT_EQ(reason(with(with(good, width_at, 5u), depth_at, 136u)), Malformed::bad_parameters);
	}
}

// A list that has lost free slots, or got more, is another list.
bool is_shorter_list(const Image &image, std::size_t size)
{
	return test::open_cms(image)->is_list() && List::has_length(size - std::min(size, body_at));
}

TEST(CmsMalformed, Length)
{
	for (const Image &good : {stored(0), stored(3), stored(200), working(0), working(3), working(200), working(3, true)}) {
		ASSERT_EQ(reason(good), Malformed::no);
		for (std::size_t size = rest_total_at; size < good.size() + 20; ++size)
			if (size != good.size() && !is_shorter_list(good, size)) {
				EXPECT_NE(reason(resized(good, size)), Malformed::no) << size << " of " << good.size();
			}
	}
}

TEST(CmsMalformed, Totals)
{
	for (const Image &good : {working(3), working(200), working(3, true)})
		for (const std::uint64_t total : {2u, 199u, 201u, 4u})
			EXPECT_EQ(reason(with(good, total_at, total)), Malformed::bad_count) << total;
	const Image dense = working(200);
	EXPECT_EQ(reason(with(dense, total_at, std::uint64_t{1} << 32)), Malformed::bad_count) << "beyond dense32";
	EXPECT_EQ(reason(with(working(3), total_at, std::uint64_t{1} << 63)), Malformed::bad_count);
	for (const std::uint64_t values : {3u, 100u}) {
		const Image good = stored(values);
		ASSERT_EQ(good[rest_total_at], values);
		EXPECT_EQ(reason(changed(good, rest_total_at, static_cast<std::uint8_t>(values - 1))), Malformed::bad_count);
		EXPECT_EQ(reason(changed(good, rest_total_at, static_cast<std::uint8_t>(values + 1))), Malformed::bad_count);
	}
}

// Each row's counters have to sum up to the total, all together is not enough.
TEST(CmsMalformed, RowSums)
{
	const Image dense = working(200);
	ASSERT_EQ(reason(dense), Malformed::no);
	const auto moved = [&](std::uint32_t from, std::uint32_t to) {
		Image image = dense;
		const auto change = [&](std::uint32_t position, std::uint32_t by) {
			std::uint8_t *counter = image.data() + body_at + position * sizeof(std::uint32_t);
			store_le(counter, load_le<std::uint32_t>(counter) + by);
		};
		change(from, UINT32_MAX);  // less by one
		change(to, 1);
		return reason(image);
	};
	std::uint32_t used = 0;
	while (test::open_cms(dense)->dense_counter(used) == 0)
		++used;
	ASSERT_LT(used, 100u);
	EXPECT_EQ(moved(used, used), Malformed::no);
	EXPECT_EQ(moved(used, 135), Malformed::no) << "within the row";
	EXPECT_EQ(moved(used, 136), Malformed::bad_count) << "to the next row";
	EXPECT_EQ(moved(used, 679), Malformed::bad_count) << "to the last row";
}

TEST(CmsMalformed, KindOfValueAndEmptiness)
{
	for (const Image &empty : {stored(0), working(0), working(0, true)}) {
		ASSERT_EQ(reason(empty), Malformed::no);
		EXPECT_EQ(reason(changed(empty, kind_at, 2)), Malformed::not_canonical) << "a kind of no value";
	}
	for (const Image &some : {stored(1), stored(200), working(1), working(200)}) {
		ASSERT_EQ(reason(some), Malformed::no);
		EXPECT_EQ(reason(changed(some, kind_at, 0)), Malformed::not_canonical) << "a value of no kind";
	}
}

TEST(CmsMalformed, List)
{
	const Image good = working(3);
	const std::size_t slots_at = body_at + List::count_size;
	for (const std::uint32_t count : {0u, 2u, 4u, 5u, 17u, 1u << 31})
		EXPECT_EQ(reason(with(good, body_at, count)), Malformed::bad_count) << count;
	std::size_t slot = slots_at;
	while (load_le<std::uint64_t>(good.data() + slot + 8) == 0)
		slot += List::slot_size;
	EXPECT_EQ(reason(with(good, slot + 8, std::uint64_t{0})), Malformed::bad_count);
	EXPECT_EQ(reason(with(good, slot + 8, std::uint64_t{2})), Malformed::bad_count);
	EXPECT_EQ(reason(with(good, slot + 8, ~std::uint64_t{0})), Malformed::bad_count);
	EXPECT_EQ(reason(with(good, slot, std::uint64_t{5})), Malformed::no) << "any hash";
	// Weights that sum up to the total modulo 2^64.
	Image wrapping = with(good, slot + 8, std::uint64_t{1} << 63);
	std::size_t other = slot + List::slot_size;
	while (load_le<std::uint64_t>(good.data() + other + 8) == 0)
		other += List::slot_size;
	EXPECT_EQ(reason(with(wrapping, other + 8, (std::uint64_t{1} << 63) + 2)), Malformed::bad_count);
}

TEST(CmsMalformed, ListTwiceTheSameHash)
{
	const Image good = working(2);
	Image twice = good;
	for (std::size_t slot = body_at + List::count_size; slot < twice.size(); slot += List::slot_size)
		if (load_le<std::uint64_t>(twice.data() + slot + 8) != 0)
			store_le(twice.data() + slot, Hash64{77});
	CmsBuilding expected(small);
	expected.add(77, 2);
	EXPECT_EQ(test::accept_cms(twice), store_cms(expected.sketch())) << "it counts as one";
}

TEST(CmsMalformed, Sparse)
{
	const Image good = stored(3);
	const std::size_t count_at = rest_total_at + 1;
	ASSERT_EQ(good[count_at], 15);
	EXPECT_NE(reason(changed(good, count_at, 14)), Malformed::no);
	EXPECT_NE(reason(changed(good, count_at, 16)), Malformed::no);
	EXPECT_EQ(reason(changed(good, count_at, 86)), Malformed::bad_count) << "85 is an eighth";
	for (std::uint8_t k = 1; k < 64; ++k)
		EXPECT_NE(reason(changed(good, count_at + 1, static_cast<std::uint8_t>((good[count_at + 1] & 0xC0) | k))), Malformed::no)
			<< "another parameter for values";
	Image padding = good;
	padding.back() |= 0x80;
	EXPECT_NE(reason(padding), Malformed::no);
	Image none = stored(0);
	none[kind_at] = 2;
	EXPECT_NE(reason(changed(none, rest_total_at, 1)), Malformed::no) << "a total of no counters";
}

// A packed image with few counters, and a sparse one of many, are not what is stored.
TEST(CmsMalformed, FormsThatDontFit)
{
	const CmsBuilding few = build(3, true);
	test::Memory memory;
	const detail::RestHead head{small, test::cms_test_kind, 3};
	const MutableBytes packed = detail::store_packed(head, few.sketch(), memory.allocator());
	EXPECT_EQ(reason(Image(packed.begin(), packed.end())), Malformed::not_canonical);
	const CmsBuilding many = build(100);
	std::span<const Counter> counters;
	ASSERT_EQ(collect_counters(many.sketch(), 680, memory.allocator(), counters), Malformed::no);
	ASSERT_GT(counters.size(), 85u);
	const MutableBytes sparse =
		detail::store_sparse({small, test::cms_test_kind, 100}, geometry_for(small), counters, memory.allocator());
	EXPECT_EQ(reason(Image(sparse.begin(), sparse.end())), Malformed::bad_count);
}

// A block whose exceptions take counters to 2^64 - 1, which no block is written for.
TEST(CmsMalformed, CountersBeyondTheTotal)
{
	const Header header{SketchKind::cms, static_cast<std::uint8_t>(Form::packed), ValueType::integer, 0};
	Image image(header.size());
	header.write(image.data());
	const auto append = [&](std::uint64_t value, std::size_t bytes) {
		for (std::size_t i = 0; i < bytes; ++i)
			image.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
	};
	append(std::bit_cast<std::uint64_t>(0.0213), 8);  // 128 counters in one row
	append(std::bit_cast<std::uint64_t>(0.9), 8);
	append(5, 1);
	append(0 | 64u << 6 | 63u << 13 | 8u << 19, BlockHead::size);  // no low bits, 64 exceptions of 63 bits, a base of 8 bytes
	append(UINT64_MAX, 8);
	image.resize(image.size() + 64 * (7 + 63) / 8, 0xFF);
	Sketch sketch;
	ASSERT_EQ(Sketch::open(image, sketch), Malformed::no);
	ASSERT_EQ(sketch.geometry(), (Geometry{128, 1}));
	EXPECT_EQ(sketch.check(), Malformed::bad_count);
}

// What is found out while a sketch is read is said, not left out.
TEST(CmsMalformed, DamageIsPassedOn)
{
	Image damaged = stored(3);
	damaged.back() = 0;
	damaged[damaged.size() - 2] = 0;
	Sketch sketch;
	ASSERT_EQ(Sketch::open(damaged, sketch), Malformed::no);
	ASSERT_NE(sketch.check(), Malformed::no);
	CmsBuilding sparse(stored(5));
	EXPECT_EQ(sparse.merge(damaged), Change::damaged);
	CmsBuilding list = build(5);
	EXPECT_EQ(list.merge(damaged), Change::damaged);
	std::optional<std::int64_t> product;
	const Image good = stored(5), packed = stored(300);
	for (const Image &other : {good, packed}) {
		EXPECT_NE(inner_product(sketch, *test::open_cms(other), product), Malformed::no);
		EXPECT_NE(inner_product(*test::open_cms(other), sketch, product), Malformed::no);
	}
}

TEST(CmsMalformed, Packed)
{
	CmsBuilding building((Parameters()));
	for (std::uint64_t i = 0; i < 1'000; ++i)
		building.add(Random::mix(i));
	const Image good = store_cms(building.sketch());
	ASSERT_EQ(reason(good), Malformed::no);
	const std::size_t directory_at = rest_total_at + 2, blocks_at = directory_at + 6 * 4;
	for (std::size_t at = directory_at; at < blocks_at; ++at)
		EXPECT_EQ(reason(changed(good, at, static_cast<std::uint8_t>(good[at] ^ 1))), Malformed::bad_entry) << at;
	// Heads that claim other widths, exceptions or bases, past the end as well.
	for (const unsigned flips : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 255u})
		for (std::size_t at = blocks_at; at < blocks_at + 3; ++at)
			EXPECT_NE(reason(changed(good, at, static_cast<std::uint8_t>(good[at] ^ flips))), Malformed::no) << at;
	EXPECT_EQ(reason(resized(good, good.size() - 1)), Malformed::too_short);
	EXPECT_EQ(reason(resized(good, good.size() + 1)), Malformed::wrong_length);
	EXPECT_EQ(reason(resized(good, blocks_at)), Malformed::too_short);
	// A width that is not the best one, for the same counters.
	const Sketch sketch = *test::open_cms(good);
	std::size_t at = blocks_at;
	Image wider;
	sketch.each_chunk([&](std::uint32_t first, std::span<const std::uint64_t> counters) {
		const BlockHead head = BlockCode(counters).head();
		if (first == 106 * 128) {  // the last one, so that the directory stays right
			wider.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(at));
			const BlockHead other{5, 0, 0, 0};
			wider.resize(at + other.block_size(counters.size()));
			other.write(wider.data() + at);
			BitWriter writer(wider.data() + at + BlockHead::size);
			for (const std::uint64_t counter : counters)
				writer.put(counter, other.width);
			writer.finish();
		}
		at += head.block_size(counters.size());
	});
	EXPECT_EQ(reason(wider), Malformed::not_canonical);
}

}  // namespace
}  // namespace bloomsketch::cms
