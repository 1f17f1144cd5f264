// Memory for what the cores build, in tests: an allocator that hands out junk, which the
// core has to overwrite.
#pragma once

#include <deque>

#include "image.hpp"

namespace bloomsketch::test {

// Everything that was handed out lives as long as this does.
class Memory {
public:
	auto allocator()
	{
		return [this](std::size_t size) -> MutableBytes { return images_.emplace_back(size, junk); };
	}

	// Leaves only the image that is still in use, once there are several.
	void release_all_but(MutableBytes image)
	{
		if (images_.size() < several)
			return;
		std::deque<Image> kept;
		for (Image &each : images_)
			if (each.data() == image.data())
				kept.push_back(std::move(each));
		images_ = std::move(kept);
	}

private:
	static constexpr std::uint8_t junk = 0xA5;
	// Of the largest images, of 128 MB, no more than that should be there at once.
	static constexpr std::size_t several = 4;
	std::deque<Image> images_;
};

}  // namespace bloomsketch::test
