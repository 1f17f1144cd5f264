// Little-endian integers in byte images. Stored images are the same on every
// platform, so nothing outside this file turns bytes into integers or back.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace bloomsketch {

using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

template <std::unsigned_integral T>
constexpr T byte_swap(T value)
{
	T swapped = 0;
	for (std::size_t i = 0; i < sizeof(T); ++i)
		swapped = static_cast<T>(swapped | ((value >> (8 * i)) & 0xFF) << (8 * (sizeof(T) - 1 - i)));
	return swapped;
}

// Reads sizeof(T) bytes at `from`, which needs no alignment.
template <std::unsigned_integral T>
inline T load_le(const std::uint8_t *from)
{
	T value;
	std::memcpy(&value, from, sizeof(T));
	if constexpr (std::endian::native == std::endian::big)
		value = byte_swap(value);
	return value;
}

// Writes sizeof(T) bytes at `to`, which needs no alignment.
template <std::unsigned_integral T>
inline void store_le(std::uint8_t *to, T value)
{
	if constexpr (std::endian::native == std::endian::big)
		value = byte_swap(value);
	std::memcpy(to, &value, sizeof(T));
}

}  // namespace bloomsketch
