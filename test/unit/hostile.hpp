// Bytes from outside: whatever they are, accept() refuses them or gives a sketch
// that every function takes. For adapters as properties.hpp describes them.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "accepting.hpp"
#include "random.hpp"

namespace bloomsketch::test {

// A check costs about the image's size, so that changing each byte of a large
// one is quadratic. Images above this size are sampled evenly, their first and
// last 32 bytes whole.
inline constexpr std::size_t hostile_whole = 1'100;

inline bool is_sampled(std::size_t at, std::size_t size)
{
	const std::size_t ratio = size / hostile_whole;
	return at < 32 || at + 32 >= size || at % (ratio * ratio + 1) == 0;
}

template <class Adapter>
void judge(Bytes bytes, const char *what, std::size_t where)
{
	const bool deep = bytes.size() <= hostile_whole || where % 4 == 0;
	if (const char *fault = fault_in_accepting<Adapter>(bytes, deep))
		FAIL() << fault << "\n" << what << " " << where << ": " << to_hex(bytes.first(std::min(bytes.size(), hostile_whole)));
}

template <class Adapter>
void try_prefixes(const Image &image)
{
	for (std::size_t length = 0; length < image.size(); ++length)
		if (is_sampled(length, image.size()))
			judge<Adapter>(Image(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(length)), "prefix", length);
	Image longer = image;
	longer.push_back(0);
	EXPECT_FALSE(Adapter::accept(longer)) << "one byte too many is accepted";
}

// All values at the front, elsewhere the lowest bit, the highest, and all.
template <class Adapter>
void try_changes(Image image)
{
	for (std::size_t at = 0; at < image.size(); ++at) {
		if (!is_sampled(at, image.size()))
			continue;
		const std::uint8_t before = image[at];
		const auto change = [&](unsigned flips) {
			image[at] = static_cast<std::uint8_t>(before ^ flips);
			judge<Adapter>(image, "change at", at);
		};
		if (at < Adapter::header_bytes && image.size() <= hostile_whole)
			for (unsigned flips = 1; flips < 256; ++flips)
				change(flips);
		else
			for (const unsigned flips : {0x01u, 0x80u, 0xFFu})
				change(flips);
		image[at] = before;
		if (testing::Test::HasFailure())
			return;
	}
}

// A valid front of any length, and behind it random bytes or the end of another
// valid image.
template <class Adapter>
void try_splices(const Image &front, const Image &back, Random &random)
{
	for (std::size_t round = 0; round < 20; ++round) {
		Image spliced(front.begin(), front.begin() + static_cast<std::ptrdiff_t>(random.below(front.size() + 1)));
		const std::size_t length = round % 2 != 0 ? random.below(64) : front.size() - spliced.size();
		const std::size_t start = random.below(back.size() + 1);
		for (std::size_t i = start; i < start + length; ++i)
			spliced.push_back(round % 4 < 2 && i < back.size() ? back[i] : static_cast<std::uint8_t>(random.next()));
		judge<Adapter>(spliced, "splice", round);
	}
}

}  // namespace bloomsketch::test
