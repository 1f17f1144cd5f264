// Bytes from outside into the HyperLogLog core.
#include "../unit/hll_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

// An entry of 11 bits or more takes up to 10 bytes in a table, 4 in scratch and twice
// its own here in the test.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<hll::Sketch>(bytes);
	return accept_within<HllAdapter>(bytes, 16 * bytes.size() + 4096);
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge, judge_union);
}
