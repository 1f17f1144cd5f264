// Bytes from outside into the Count-Min core.
#include "../unit/cms_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

// Above it a sketch is not made dense here: it would take all the time.
constexpr std::uint32_t most_counters = 1u << 13;

// Each entry of a list takes 16 bytes for each row in scratch, and half as much at
// rest at most.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<cms::Sketch>(bytes);
	const std::optional<cms::Sketch> sketch = open_cms(bytes);
	const std::size_t rows = sketch && sketch->is_list() ? sketch->depth() : 1;
	return accept_within<CmsAdapter>(bytes, 8 * bytes.size() * (1 + rows) + 4096);
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge, judge_union);
}
