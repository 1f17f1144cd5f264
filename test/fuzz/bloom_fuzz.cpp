// Bytes from outside into the Bloom filter core: two images, each refused or sound,
// and united where they go together. An input is the first image's length (two
// bytes, little-endian), the first image, the second image.
#include <cstdio>
#include <cstdlib>

#include "../unit/bloom_adapter.hpp"

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
	bloom::Filter filter;
	if (bloom::Filter::open(bytes, filter) == Malformed::no)
		static_cast<void>(filter.check());
	require(allocated == 0, "open() or check() allocates");
}

// The first bytes alone, for any size that they may claim to be of: what they
// give is a head whose every block lies within that size.
void judge_head(Bytes bytes, std::size_t size)
{
	const Bytes first = bytes.first(std::min(bytes.size(), bloom::largest_head));
	const Image front(first.begin(), first.end());
	bloom::Head head;
	if (head.read(front, size) != Malformed::no || head.is_parameterless())
		return;
	for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(size)}) {
		const std::size_t offset = head.block_offset(hash);
		require(offset >= head.size() && offset + head.parameters.block_bytes() <= size,
		        "a block is not within the image");
	}
}

// The image at rest of bytes that are accepted: one copy.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing(bytes);
	const std::optional<Image> accepted = accept_bloom(bytes);
	require(allocated <= 2 * bytes.size(), "accepting takes memory out of proportion");
	for (const std::size_t size : {bytes.size(), bytes.size() * 64, bytes.size() + 64, bloom::largest_image})
		judge_head(bytes, size);
	if (!accepted)
		return accepted;
	if (const char *fault = BloomAdapter::fault(*accepted))
		require(false, fault);
	require(accept_bloom(*accepted) == accepted, "an accepted image is not accepted as it is");
	if (BloomAdapter::at_rest(bytes))
		require(std::equal(bytes.begin(), bytes.end(), accepted->begin(), accepted->end()),
		        "an image at rest is accepted though its contents have another form");
	return accepted;
}

void judge_union(const Image &a, const Image &b)
{
	const bloom::Filter first = *open_bloom(a), second = *open_bloom(b);
	require(bloom::compare(first, second) == bloom::compare(second, first), "comparing depends on the order");
	if (bloom::compare(first, second) != bloom::Mismatch::none)
		return;
	const Image both = unite_bloom(a, b);
	require(both == unite_bloom(b, a), "a union depends on the order");
	require(accept_bloom(both) == both, "a union is not accepted");
	require(unite_bloom(both, a) == both, "a union does not hold its parts");
	const bloom::Fill sum = measure_bloom(*open_bloom(both));
	for (const bloom::Filter &part : {first, second})
		require(part.is_parameterless() || sum.bits_set() >= measure_bloom(part).bits_set(), "a union lost bits");
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
