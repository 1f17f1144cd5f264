// Bytes from outside into the cuckoo filter core.
#include "../unit/cuckoo_adapter.hpp"
#include "harness.hpp"

namespace bloomsketch::test {
namespace {

// The first bytes alone, for any size that they may claim to be of: what they give is
// a head whose every bucket lies within that size.
void judge_head(Bytes bytes, std::size_t size)
{
	const Bytes first = bytes.first(std::min(bytes.size(), cuckoo::largest_head));
	const Image front(first.begin(), first.end());
	cuckoo::Head head;
	if (head.read(front, size) != Malformed::no || head.is_parameterless())
		return;
	for (const Hash64 hash : {Hash64{0}, ~Hash64{0}, Random::mix(size)}) {
		const cuckoo::Entry entry = head.geometry.entry(hash);
		for (const cuckoo::Entry &at : {entry, head.geometry.other(entry)})
			require(head.bucket_at(at.bucket) >= head.body_at() && head.bucket_at(at.bucket) + head.bucket_bytes(at.bucket) <= size,
			        "a bucket is not within the image");
		require(head.geometry.other(head.geometry.other(entry)) == entry, "a bucket's other one has another");
	}
}

// One copy.
std::optional<Image> judge(Bytes bytes)
{
	check_allocates_nothing<cuckoo::Filter>(bytes);
	for (const std::size_t size : {bytes.size(), bytes.size() * 64, bytes.size() + 64, cuckoo::largest_image})
		judge_head(bytes, size);
	return accept_within<CuckooAdapter>(bytes, bytes.size());
}

// All of both, or nothing.
void judge_union(const Image &a, const Image &b)
{
	const cuckoo::Filter first = *open_cuckoo(a), second = *open_cuckoo(b);
	require(cuckoo::compare(first, second) == cuckoo::compare(second, first), "comparing depends on the order");
	if (cuckoo::compare(first, second) != cuckoo::Mismatch::none || first.is_parameterless() || second.is_parameterless())
		return;
	const std::optional<Image> both = unite_cuckoo(a, b);
	if (!both)
		return;
	CuckooEntries sum = cuckoo_entries_of(a);
	const CuckooEntries more = cuckoo_entries_of(b);
	sum.insert(sum.end(), more.begin(), more.end());
	std::sort(sum.begin(), sum.end());
	require(cuckoo_entries_of(*both) == sum, "a union is not all of both");
	require(accept_cuckoo(*both) == both, "a union is not accepted");
}

}  // namespace
}  // namespace bloomsketch::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	using namespace bloomsketch::test;
	return judge_both(data, size, judge, judge_union);
}
