// Byte images that tests own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/bytes.hpp"

namespace bloomsketch::test {

// Allocated to the byte, so that a sanitizer sees a read behind the end.
using Image = std::vector<std::uint8_t>;

inline std::string to_hex(Bytes image)
{
	static constexpr char digits[] = "0123456789abcdef";
	std::string hex;
	for (const std::uint8_t byte : image) {
		hex += digits[byte >> 4];
		hex += digits[byte & 15];
	}
	return hex;
}

inline Image from_hex(std::string_view hex)
{
	Image image(hex.size() / 2);
	for (std::size_t i = 0; i < image.size(); ++i)
		image[i] = static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
	return image;
}

}  // namespace bloomsketch::test
