// Bytes from outside into the Count-Min core: two images, each refused or sound,
// and united where they go together. An input is the first image's length (two
// bytes, little-endian), the first image, the second image.
#include <cstdio>
#include <cstdlib>

#include "../unit/cms_adapter.hpp"

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, std::size_t),
                                                         void (*)(const volatile void *));

namespace bloomsketch::test {
namespace {

std::size_t allocated = 0;  // since it was last set to 0

// Above it a sketch is not made dense here: it would take all the time.
constexpr std::uint32_t most_counters = 1u << 13;

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
	cms::Sketch sketch;
	if (cms::Sketch::open(bytes, sketch) == Malformed::no)
		static_cast<void>(sketch.check());
	require(allocated == 0, "open() or check() allocates");
}

// The image at rest of bytes that are accepted. Each entry of a list takes 16 bytes
// for each row in scratch, and half as much at rest at most.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing(bytes);
	const std::optional<Image> accepted = accept_cms(bytes);
	const std::optional<cms::Sketch> sketch = open_cms(bytes);
	const std::size_t rows = sketch && sketch->is_list() ? sketch->depth() : 1;
	require(allocated <= 8 * bytes.size() * (1 + rows) + 4096, "accepting takes memory out of proportion");
	if (!accepted)
		return accepted;
	if (const char *fault = CmsAdapter::fault(*accepted))
		require(false, fault);
	require(accept_cms(*accepted) == accepted, "an accepted image is not accepted as it is");
	if (CmsAdapter::at_rest(bytes))
		require(std::equal(bytes.begin(), bytes.end(), accepted->begin(), accepted->end()),
		        "an image at rest is accepted though its contents have another form");
	return accepted;
}

// The counters of a union are the sums, and either part can be taken away again.
void judge_union(const Image &a, const Image &b)
{
	const cms::Sketch first = *open_cms(a), second = *open_cms(b);
	require(cms::compare(first, second) == cms::compare(second, first), "comparing depends on the order");
	if (cms::compare(first, second) != cms::Mismatch::none || first.is_parameterless() || second.is_parameterless() ||
	    first.geometry().counters() > most_counters)
		return;
	CmsBuilding building(first);
	const bool fits = first.total() <= cms::max_total - second.total();
	require((building.merge(second) == cms::Change::done) == fits, "a total is refused or passes 2^63 - 1");
	if (!fits)
		return;
	const Image both = store_cms(building.sketch());
	require(both == store_cms(unite_cms(b, a)), "a union depends on the order");
	require(accept_cms(both) == both, "a union is not accepted");
	building.make_dense();
	require(building.subtract(b) && store_cms(building.sketch()) == a, "taking away does not undo a union");
	require(product_of(first, second) == product_of(second, first), "a product depends on the order");
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
