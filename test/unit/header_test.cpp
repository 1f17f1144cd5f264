// The header that every stored sketch begins with.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/header.hpp"
#include "image.hpp"

namespace bloomsketch {
namespace {

using test::Image;

Image write(const Header &header)
{
	Image image(header.size());
	header.write(image.data());
	return image;
}

Malformed read(const Image &image)
{
	Header header{SketchKind::hll, 0, {}, 0};
	return header.read(image);
}

TEST(Header, IsThreeBytesOrElevenWithASeed)
{
	EXPECT_EQ(test::to_hex(write({SketchKind::hll, 0, {}, 0})), "111000");
	EXPECT_EQ(test::to_hex(write({SketchKind::hll, 3, ValueType::text, 0x0102030405060708})), "111b080807060504030201");
}

TEST(Header, RoundTrips)
{
	for (const std::int64_t seed : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, INT64_MIN, INT64_MAX})
		for (std::uint8_t form = 0; form < 8; ++form)
			for (const ValueKind kind : {ValueKind(), ValueKind(ValueType::multirange_type, ValueShape::array)}) {
				Header header{SketchKind::hll, 0, ValueKind(ValueType::text), 7};
				ASSERT_EQ(header.read(write({SketchKind::hll, form, kind, seed})), Malformed::no);
				EXPECT_EQ(header.seed, seed);
				EXPECT_EQ(header.form, form);
				EXPECT_EQ(header.kind, kind);
			}
}

TEST(Header, RefusesPrefixes)
{
	const Image image = write({SketchKind::hll, 0, {}, 5});
	for (std::size_t length = 0; length < image.size(); ++length)
		EXPECT_EQ(read(Image(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(length))), Malformed::too_short);
	EXPECT_EQ(read(image), Malformed::no);
}

// The reason for every value of every byte.
TEST(Header, RefusesWithTheReason)
{
	for (unsigned byte = 0; byte < 256; ++byte) {
		const auto value = static_cast<std::uint8_t>(byte);
		const Malformed first = byte >> 4 != 1     ? Malformed::other_sketch
		                        : (byte & 15) != 1 ? Malformed::unknown_version
		                                           : Malformed::no;
		EXPECT_EQ(read({value, 0x10, 0}), first) << byte;
		const Malformed second = byte >> 4 != 1    ? Malformed::unknown_hash_family
		                         : (byte & 8) != 0 ? Malformed::too_short
		                                           : Malformed::no;
		EXPECT_EQ(read({0x11, value, 0}), second) << byte;
		const Malformed third = ValueKind(value).is_known() ? Malformed::no : Malformed::unknown_value_kind;
		EXPECT_EQ(read({0x11, 0x10, value}), third) << byte;
	}
	EXPECT_EQ(read({0x11, 0x18, 0, 0, 0, 0, 0, 0, 0, 0, 0}), Malformed::zero_seed);
}

TEST(Header, EveryReasonHasItsWords)
{
	std::set<std::string> words;
	int reasons = 0;
	for (; reasons <= static_cast<int>(Malformed::not_canonical); ++reasons)
		words.insert(describe(static_cast<Malformed>(reasons)));
	EXPECT_EQ(words.size(), static_cast<std::size_t>(reasons));
}

}  // namespace
}  // namespace bloomsketch
