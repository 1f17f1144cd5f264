// What every sketch has to fulfil, written once. A sketch takes part through an
// adapter, a struct of static members:
//
//   Case, cases()              parameters to try; Case prints with name(Case)
//   sizes(Case)                how many units (say, distinct entries) to fill:
//                              at least 0, 1 and either side of each change of
//                              form
//   values(Case, first, count) hashes that fill `count` units, other ones for
//                              other ranges first .. first + count
//   build(Case, hashes)        the working image over these, in this order
//   unite(image, image)        the working image of both; any form goes in
//   store(image)               the image at rest
//   accept(bytes)              whole check of bytes from outside: the image at
//                              rest, or nothing
//   at_rest(bytes)             whether an accepted image claims to be at rest
//   fault(image)               calls every function there is on an accepted
//                              image; the property that fails, or nullptr
//   header_bytes               bytes at the front to try all values at
//   order_free, idempotent     whether bytes do not depend on the order, and
//                              whether a value may come twice
//
// An adapter that is not order_free gives agrees(image, image) instead of equal
// bytes. One whose working images don't come in from outside has a constant
// refuses_working. hll_adapter.hpp shows all but these two, topk_adapter.hpp these.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/hash.hpp"
#include "hostile.hpp"

namespace bloomsketch::test {

using Hashes = std::vector<Hash64>;

template <class Adapter>
class SketchProperties : public testing::Test {
protected:
	using Case = typename Adapter::Case;

	static bool agree(const Image &a, const Image &b)
	{
		if constexpr (Adapter::order_free)
			return Adapter::store(a) == Adapter::store(b);
		else
			return Adapter::agrees(a, b);
	}

	static Image build(const Case &c, std::size_t first, std::size_t count)
	{
		return Adapter::build(c, Adapter::values(c, first, count));
	}

	// Calls use(case, size) for all of them, with a trace.
	template <class Use>
	static void each(Use use)
	{
		for (const Case &c : Adapter::cases())
			for (const std::size_t size : Adapter::sizes(c)) {
				SCOPED_TRACE(Adapter::name(c) + ", size " + std::to_string(size));
				use(c, size);
				if (testing::Test::HasFatalFailure())
					return;
			}
	}
};

TYPED_TEST_SUITE_P(SketchProperties);

TYPED_TEST_P(SketchProperties, UnionIsBuildingFromAll)
{
	TestFixture::each([](const auto &c, std::size_t size) {
		// Overlapping, disjoint and contained parts, in every pairing of forms.
		const std::size_t splits[][2] = {{size, size / 2}, {size / 2, size / 2}, {size, 0}, {size / 3, 0}};
		for (const auto &[end_of_a, start_of_b] : splits) {
			const Image a = TestFixture::build(c, 0, end_of_a);
			const Image b = TestFixture::build(c, start_of_b, size - start_of_b);
			Hashes both = TypeParam::values(c, 0, end_of_a);
			const Hashes rest = TypeParam::values(c, start_of_b, size - start_of_b);
			both.insert(both.end(), rest.begin(), rest.end());
			const Image all = TypeParam::build(c, both);
			for (const Image &left : {a, TypeParam::store(a)})
				for (const Image &right : {b, TypeParam::store(b)})
					ASSERT_TRUE(TestFixture::agree(TypeParam::unite(left, right), all));
		}
	});
}

TYPED_TEST_P(SketchProperties, UnionCommutesAndAssociates)
{
	TestFixture::each([](const auto &c, std::size_t size) {
		const Image a = TestFixture::build(c, 0, size);
		const Image b = TestFixture::build(c, size / 2, size);
		const Image d = TestFixture::build(c, 3 * size, size / 3);
		const auto unite = [](const Image &x, const Image &y) { return TypeParam::unite(x, y); };
		ASSERT_TRUE(TestFixture::agree(unite(a, b), unite(b, a)));
		ASSERT_TRUE(TestFixture::agree(unite(unite(a, b), d), unite(a, unite(b, d))));
	});
}

TYPED_TEST_P(SketchProperties, EmptyIsNeutral)
{
	TestFixture::each([](const auto &c, std::size_t size) {
		const Image empty = TestFixture::build(c, 0, 0);
		const Image a = TestFixture::build(c, 0, size);
		ASSERT_TRUE(TestFixture::agree(TypeParam::unite(a, empty), a));
		ASSERT_TRUE(TestFixture::agree(TypeParam::unite(empty, a), a));
	});
}

TYPED_TEST_P(SketchProperties, OrderDoesNotShow)
{
	TestFixture::each([](const auto &c, std::size_t size) {
		Hashes values = TypeParam::values(c, 0, size);
		const Image forward = TypeParam::build(c, values);
		std::reverse(values.begin(), values.end());
		ASSERT_TRUE(TestFixture::agree(TypeParam::build(c, values), forward));
		Random random(size);
		for (std::size_t i = values.size(); i > 1; --i)
			std::swap(values[i - 1], values[random.below(i)]);
		ASSERT_TRUE(TestFixture::agree(TypeParam::build(c, values), forward));
		std::sort(values.begin(), values.end());
		ASSERT_TRUE(TestFixture::agree(TypeParam::build(c, values), forward));
	});
}

TYPED_TEST_P(SketchProperties, RepetitionDoesNotShow)
{
	if constexpr (TypeParam::idempotent)
		TestFixture::each([](const auto &c, std::size_t size) {
			Hashes values = TypeParam::values(c, 0, size);
			const Image once = TypeParam::build(c, values);
			values.insert(values.end(), values.begin(), values.end());
			ASSERT_TRUE(TestFixture::agree(TypeParam::build(c, values), once));
			ASSERT_TRUE(TestFixture::agree(TypeParam::unite(once, once), once));
			ASSERT_TRUE(TestFixture::agree(TypeParam::unite(TypeParam::store(once), once), once));
		});
}

TYPED_TEST_P(SketchProperties, StoredAndWorkingFormsRoundTrip)
{
	TestFixture::each([](const auto &c, std::size_t size) {
		const Image working = TestFixture::build(c, 0, size);
		const Image stored = TypeParam::store(working);
		ASSERT_FALSE(stored.empty()) << "writing it missed a byte";
		ASSERT_TRUE(TypeParam::at_rest(stored));
		ASSERT_EQ(TypeParam::store(stored), stored);
		ASSERT_EQ(TypeParam::accept(stored), stored);
		if constexpr (requires { TypeParam::refuses_working; })
			ASSERT_FALSE(TypeParam::accept(working));
		else
			ASSERT_EQ(TypeParam::accept(working), stored);
		ASSERT_EQ(TypeParam::fault(stored), nullptr) << TypeParam::fault(stored);
	});
}

TYPED_TEST_P(SketchProperties, ArbitraryBytesAreRefusedOrSound)
{
	Random random(1);
	Image before = {0};
	TestFixture::each([&](const auto &c, std::size_t size) {
		const Image working = TestFixture::build(c, 0, size);
		for (const Image &image : {working, TypeParam::store(working)}) {
			try_prefixes<TypeParam>(image);
			try_changes<TypeParam>(image);
			try_splices<TypeParam>(image, before, random);
			before = image;
		}
	});
}

// Random bytes, most of them behind the first bytes of a valid image.
TYPED_TEST_P(SketchProperties, RandomBytesAreRefusedOrSound)
{
	Random random(2);
	const auto cases = TypeParam::cases();
	for (std::size_t round = 0; round < 20'000; ++round) {
		const auto &c = cases[random.below(cases.size())];
		const Image working = TestFixture::build(c, 0, 1);
		Image bytes = round % 2 != 0 ? working : TypeParam::store(working);
		bytes.resize(random.below(std::min(bytes.size(), TypeParam::header_bytes)));
		for (std::size_t more = random.below(200); more > 0; --more)
			bytes.push_back(static_cast<std::uint8_t>(random.next()));
		judge<TypeParam>(bytes, "round", round);
	}
}

REGISTER_TYPED_TEST_SUITE_P(SketchProperties, UnionIsBuildingFromAll, UnionCommutesAndAssociates, EmptyIsNeutral,
                            OrderDoesNotShow, RepetitionDoesNotShow, StoredAndWorkingFormsRoundTrip,
                            ArbitraryBytesAreRefusedOrSound, RandomBytesAreRefusedOrSound);

}  // namespace bloomsketch::test
