// The hash is file format: golden values from an independent xxHash
// (test/data/xxh3.py).
#include <gtest/gtest.h>

#include "common/hash.hpp"
#include "data.hpp"
#include "image.hpp"

namespace bloomsketch {
namespace {

using test::Image;

TEST(Hash, IsXXH3OfEveryLengthAndSeed)
{
	std::size_t tried = 0;
	for (const auto &line : test::read_data("xxh3.txt")) {
		Image image(std::stoul(line.at(0)));
		for (std::size_t i = 0; i < image.size(); ++i)
			image[i] = static_cast<std::uint8_t>(i * i * 31 + i * 7 + 3);
		const std::int64_t seed = std::stoll(line.at(1));
		ASSERT_EQ(hash_bytes(image.data(), image.size(), seed), std::stoull(line.at(2), nullptr, 16))
			<< line[0] << " bytes, seed " << seed;
		++tried;
	}
	EXPECT_EQ(tried, 620u);
}

TEST(Hash, WordIsItsEightBytesLittleEndian)
{
	const Image image = test::from_hex("efcdab8967452301");
	for (const std::int64_t seed : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN})
		EXPECT_EQ(hash_word(0x0123456789ABCDEF, seed), hash_bytes(image.data(), image.size(), seed));
	EXPECT_EQ(hash_word(1, 0), 0x2FBC593564DB792Eu) << "python3-xxhash on 01 00 00 00 00 00 00 00";
}

TEST(Bytes, AreLittleEndianEverywhere)
{
	const Image image = test::from_hex("00efcdab8967452301");
	EXPECT_EQ(load_le<std::uint64_t>(image.data() + 1), 0x0123456789ABCDEFu);
	EXPECT_EQ(load_le<std::uint32_t>(image.data() + 1), 0x89ABCDEFu);
	EXPECT_EQ(load_le<std::uint16_t>(image.data() + 1), 0xCDEFu);
	EXPECT_EQ(byte_swap(std::uint64_t{0x0123456789ABCDEF}), 0xEFCDAB8967452301u);
	EXPECT_EQ(byte_swap(std::uint16_t{0x0123}), 0x2301u);
	EXPECT_EQ(byte_swap(std::uint8_t{0x12}), 0x12u);
	Image written(9);
	store_le(written.data() + 1, std::uint64_t{0x0123456789ABCDEF});
	EXPECT_EQ(written, image);
}

}  // namespace
}  // namespace bloomsketch
