// Bytes from outside into the HyperLogLog core: two images, each refused or sound,
// and united where they go together. An input is the first image's length (two
// bytes, little-endian), the first image, the second image.
#include <cstdio>
#include <cstdlib>

#include "../unit/hll_adapter.hpp"

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, std::size_t),
                                                         void (*)(const volatile void *));

namespace bloomsketch::test {
namespace {

std::size_t allocated = 0;  // since it was last set to 0

void require(bool holds, const char *what)
{
	if (holds)
		return;
	std::fprintf(stderr, "fault: %s\n", what);
	std::abort();
}

// The whole check comes before any memory is taken.
void check_allocates_nothing(Bytes bytes)
{
	allocated = 0;
	hll::Sketch sketch;
	if (hll::Sketch::open(bytes, sketch) == Malformed::no)
		static_cast<void>(sketch.check());
	require(allocated == 0, "open() or check() allocates");
}

// The image at rest of bytes that are accepted. An entry of 11 bits or more takes
// up to 10 bytes in a table, 4 in scratch and twice its own here in the test.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing(bytes);
	const std::optional<Image> accepted = accept_hll(bytes);
	require(allocated <= 16 * bytes.size() + 4096, "accepting takes memory out of proportion");
	if (!accepted)
		return accepted;
	if (const char *fault = HllAdapter::fault(*accepted))
		require(false, fault);
	require(accept_hll(*accepted) == accepted, "an accepted image is not accepted as it is");
	if (HllAdapter::at_rest(bytes))
		require(std::equal(bytes.begin(), bytes.end(), accepted->begin(), accepted->end()),
		        "an image at rest is accepted though its contents have another form");
	return accepted;
}

void judge_union(const Image &a, const Image &b)
{
	const hll::Sketch first = *open_hll(a), second = *open_hll(b);
	if (hll::compare(first, second) != hll::Mismatch::none)
		return;
	const Image both = store_hll(unite_hll(a, b));
	require(both == store_hll(unite_hll(b, a)), "a union depends on the order");
	require(accept_hll(both) == both, "a union is not accepted");
	require(store_hll(unite_hll(both, a)) == both, "a union does not hold its parts");
	const hll::Sketch sum = *open_hll(both);
	for (const hll::Sketch &part : {first, second})
		require(sum.is_sparse() != part.is_sparse() || sum.estimate() >= part.estimate() * (1 - 1e-9),
		        "a union counts less than its parts");
}

}  // namespace
}  // namespace bloomsketch::test

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
	using bloomsketch::test::allocated;
	__sanitizer_install_malloc_and_free_hooks([](const volatile void *, std::size_t size) { allocated += size; },
	                                          [](const volatile void *) {});
	return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	if (size < 2)
		return 0;
	const std::size_t split = std::min<std::size_t>(bloomsketch::load_le<std::uint16_t>(data), size - 2);
	const Image first(data + 2, data + 2 + split), second(data + 2 + split, data + size);
	const std::optional<Image> a = judge(first), b = judge(second);
	if (a && b)
		judge_union(*a, *b);
	return 0;
}
