// Bytes from outside into the counting filter core.
#include "../unit/counting_bloom_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

// The first bytes alone, for any size that they may claim to be of: what they give is a
// head whose every block and entry lies within that size.
void judge_head(Bytes bytes, std::size_t size)
{
	const Bytes first = bytes.first(std::min(bytes.size(), counting_bloom::largest_head));
	const Image front(first.begin(), first.end());
	counting_bloom::Head head;
	if (head.read(front, size) != Malformed::no || head.is_parameterless() || head.is_working())
		return;
	require(head.excess_offset() <= size, "the directory is not within the image");
	for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(size)}) {
		const std::size_t offset = head.bits_offset(head.block_of(hash));
		require(offset >= head.size() && offset + head.parameters.block_bytes() <= head.directory_offset(),
		        "a block is not in front of the directory");
	}
}

// Whatever the directory says, an image that opens is read within its bounds.
void judge_unchecked(Bytes bytes)
{
	const std::optional<counting_bloom::Filter> filter = open_counting(bytes);
	if (!filter || filter->is_parameterless())
		return;
	for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(bytes.back())}) {
		unsigned least = 0;
		static_cast<void>(filter->count(hash, least));
		counting_bloom::Edit edit;
		if (filter->is_working() || counting_bloom::Edit::open(*filter, hash, edit) != Malformed::no)
			continue;
		edit.add(counting_test_kind);
		Image more(edit.size());
		edit.write(more);
	}
}

// A working filter takes at most so much more at rest, besides one copy for its check.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<counting_bloom::Filter>(bytes);
	for (const std::size_t size : {bytes.size(), bytes.size() * 64, bytes.size() + 64, bloom::largest_image})
		judge_head(bytes, size);
	judge_unchecked(bytes);
	return accept_within<CountingBloomAdapter>(bytes, 3 * bytes.size());
}

void judge_union(const Image &a, const Image &b)
{
	const counting_bloom::Filter first = *open_counting(a), second = *open_counting(b);
	require(counting_bloom::compare(first, second) == counting_bloom::compare(second, first), "comparing depends on the order");
	if (counting_bloom::compare(first, second) != counting_bloom::Mismatch::none)
		return;
	const Image both = store_counting(unite_counting(a, b));
	require(both == store_counting(unite_counting(b, a)), "a union depends on the order");
	require(accept_counting(both) == both, "a union is not accepted");
	for (const Image &part : {a, b}) {
		if (open_counting(part)->is_parameterless())
			continue;
		for (std::uint64_t i = 0; i < 8; ++i) {
			const Hash64 hash = Random::mix(i + part.back());
			require(count_counting(both, hash) >= count_counting(part, hash), "a union lost copies");
		}
	}
}

}  // namespace
}  // namespace bloomsketch::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge, judge_union);
}
