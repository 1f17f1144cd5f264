// Memory on the way: arrays out of what `allocate(size)` gives, a writable string of so
// many bytes.
#pragma once

#include <cstdint>

#include "common/bytes.hpp"

namespace bloomsketch {

// Room for that many objects, aligned.
template <class T, class Allocate>
std::span<T> allocate_array(std::size_t count, Allocate allocate)
{
	const MutableBytes bytes = allocate(count * sizeof(T) + alignof(T) - 1);
	const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
	const std::size_t skipped = (alignof(T) - address % alignof(T)) % alignof(T);
	return {reinterpret_cast<T *>(bytes.data() + skipped), count};
}

}  // namespace bloomsketch
