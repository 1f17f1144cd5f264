// Bytes from outside into the Bloom filter core.
#include "../unit/bloom_adapter.hpp"
#include "../unit/bloom_sized_adapter.hpp"
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

// The same of a filter in layers.
void judge_layers_head(Bytes bytes, std::size_t size)
{
	const Image front = to_image(bytes.first(std::min(bytes.size(), bloom::largest_layers_head)));
	bloom::LayersHead head;
	if (head.read(front, size) != Malformed::no)
		return;
	for (std::size_t i = 0; i < head.count; ++i)
		for (const Hash64 hash : {Hash64{0}, ~Hash64{0}}) {
			const std::size_t offset = head.layers[i].block_offset(hash);
			require(offset >= head.size() && offset + head.layers[i].block_bytes() <= size,
			        "a layer's block is not within the image");
		}
}

// Of the forms 2 to 4: what they become is no larger than this, and copied once.
std::optional<Image> judge_sized(Bytes bytes)
{
	allocated = 0;
	require(bloom::try_open(bytes) == Malformed::no || allocated == 0, "opening allocates");
	for (const std::size_t size : {bytes.size(), bytes.size() + 64, bloom::largest_image})
		judge_layers_head(bytes, size);
	return accept_within<BloomSizedAdapter>(bytes, 2 * (8 * bytes.size() + 65'536));
}

// One copy.
std::optional<Image> judge(Bytes bytes)
{
	if (bloom::sizes_itself(bytes))
		return judge_sized(bytes);
	check_allocates_nothing<bloom::Filter>(bytes);
	for (const std::size_t size : {bytes.size(), bytes.size() * 64, bytes.size() + 64, bloom::largest_image})
		judge_head(bytes, size);
	return accept_within<BloomAdapter>(bytes, 2 * bytes.size());
}

void judge_layers_union(const Image &a, const Image &b)
{
	const bloom::Layered first = open_layered(a), second = open_layered(b);
	require(bloom::compare(first, second) == bloom::compare(second, first), "comparing layers depends on the order");
	if (bloom::compare(first, second) != bloom::LayersMismatch::none)
		return;
	const std::optional<Image> both = unite_layered(a, b);
	require(both.has_value() || first.layers() + second.layers() > bloom::max_layers, "there is room for all layers");
	if (!both)
		return;
	require(accept_sized(*both) == both, "a union is not accepted");
	const std::optional<Image> again = unite_layered(*both, b);
	require(again && *again == *both, "a union does not hold its parts");
}

void judge_union(const Image &a, const Image &b)
{
	if (bloom::sizes_itself(a) && bloom::sizes_itself(b))
		return judge_layers_union(a, b);
	if (bloom::sizes_itself(a) || bloom::sizes_itself(b))
		return;
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
