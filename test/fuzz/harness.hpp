// What the fuzz targets share. An input is two images: the first one's length (two
// bytes, little-endian), the first image, the second image. Each is refused or
// sound, and both are united where both are accepted.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "../unit/accepting.hpp"

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, std::size_t),
                                                         void (*)(const volatile void *));

namespace bloomsketch::test {

inline std::size_t allocated = 0;  // since it was last set to 0

inline void require(bool holds, const char *what)
{
	if (holds)
		return;
	std::fprintf(stderr, "fault: %s\n", what);
	std::abort();
}

// The whole check comes before any memory is taken.
template <class View>
void check_allocates_nothing(Bytes bytes)
{
	allocated = 0;
	View view;
	if (View::open(bytes, view) == Malformed::no)
		static_cast<void>(view.check());
	require(allocated == 0, "open() or check() allocates");
}

// The image at rest of bytes that are accepted, with at most so much memory.
template <class Adapter>
std::optional<Image> accept_within(Bytes bytes, std::size_t most)
{
	allocated = 0;
	std::optional<Image> accepted = Adapter::accept(bytes);
	require(allocated <= most, "accepting takes memory out of proportion");
	if (const char *fault = fault_in_accepting<Adapter>(bytes))
		require(false, fault);
	return accepted;
}

// Cuts an input in two; judge() gives what is accepted of either.
template <class Judge, class JudgeUnion>
int judge_both(const std::uint8_t *data, std::size_t size, Judge judge, JudgeUnion judge_union)
{
	if (size < 2)
		return 0;
	const std::size_t split = std::min<std::size_t>(load_le<std::uint16_t>(data), size - 2);
	const Image first(data + 2, data + 2 + split), second(data + 2 + split, data + size);
	const std::optional<Image> a = judge(first), b = judge(second);
	if (a && b)
		judge_union(*a, *b);
	return 0;
}

}  // namespace bloomsketch::test

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
	using bloomsketch::test::allocated;
	__sanitizer_install_malloc_and_free_hooks([](const volatile void *, std::size_t size) { allocated += size; },
	                                          [](const volatile void *) {});
	return 0;
}
