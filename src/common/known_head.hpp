// What was read from the front of an image, together with the bytes that it was
// read from, to know them again: for each row of an aggregate, comparing a state's
// head takes a fraction of reading and checking it.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "common/header.hpp"

namespace bloomsketch {

// `Head` says with size() from how many bytes at the front, and the image's size,
// it was read: `unseeded`, or 8 more with a seed. It works zeroed, too, and then
// knows no image.
template <class Head, std::size_t unseeded>
class KnownHead {
public:
	KnownHead() = default;
	KnownHead(const Head &head, Bytes image) : head_(head), image_size_(image.size())
	{
		std::copy_n(image.begin(), head.size(), bytes_.begin());
	}

	bool begins(Bytes image) const
	{
		return image_size_ != 0 && image.size() == image_size_ &&
		       std::memcmp(image.data(), bytes_.data(), unseeded) == 0 &&
		       (head_.size() == unseeded ||
		        std::memcmp(image.data() + unseeded, bytes_.data() + unseeded, Header::seed_size) == 0);
	}

	const Head &head() const { return head_; }

private:
	Head head_;
	std::size_t image_size_ = 0;
	std::array<std::uint8_t, unseeded + Header::seed_size> bytes_{};
};

}  // namespace bloomsketch
