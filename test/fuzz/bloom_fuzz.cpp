// Bytes from outside into the Bloom filter core.
#include "../unit/bloom_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

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

// One copy.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<bloom::Filter>(bytes);
	for (const std::size_t size : {bytes.size(), bytes.size() * 64, bytes.size() + 64, bloom::largest_image})
		judge_head(bytes, size);
	return accept_within<BloomAdapter>(bytes, 2 * bytes.size());
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge, judge_union);
}
