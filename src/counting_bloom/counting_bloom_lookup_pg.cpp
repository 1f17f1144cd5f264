// Is a value in a filter, and how many copies of it? Stored filters are large and lie
// out of line, and one answer needs one block of them: head and block are read by
// slices, until common/kept_pg.hpp has the filter whole.
#include "common/kept_pg.hpp"
#include "counting_bloom/counting_bloom_pg.hpp"

namespace bloomsketch::counting_bloom {
namespace {

const std::uint8_t *slice(Datum stored, std::size_t offset, std::size_t length)
{
	return stored_slice(Filter::type_name, stored, offset, length).data();
}

// The least counter of a value, from a filter as a whole.
unsigned count(const Filter &filter, Hash64 hash)
{
	unsigned least = 0;
	require_sound(filter.count(hash, least));
	return least;
}

// The same from a stored filter: the bits of its block, and its counters if all are set.
unsigned count_by_slices(Datum stored, const Head &head, Hash64 hash, std::size_t size)
{
	const std::uint64_t block = head.block_of(hash);
	const std::size_t block_bytes = head.parameters.block_bytes(), first = block == 0 ? 0 : block - 1;
	const int hashes = head.parameters.hashes, log2 = head.parameters.block_bits_log2();
	const std::uint8_t *bits = slice(stored, head.bits_offset(block), block_bytes);
	if (!bloom::block_contains(bits, hash, hashes, log2))
		return 0;
	const std::uint8_t *entries =
		slice(stored, head.directory_offset() + first * entry_size, (block - first + 1) * entry_size);
	const std::size_t begin = block == 0 ? 0 : load_le<std::uint32_t>(entries);
	const std::size_t end = load_le<std::uint32_t>(entries + (block - first) * entry_size);
	if (begin > end || end > size - head.excess_offset())
		raise_malformed(Filter::type_name, Malformed::bad_count);
	const Bytes excess(slice(stored, head.excess_offset() + begin, end - begin), end - begin);
	BlockCounters counters;
	require_sound(read_block(bits, block_bytes, excess, counters.data()));
	return least_counter(counters.data(), hash, hashes, log2);
}

bool contains_by_slices(Datum stored, const Head &head, Hash64 hash)
{
	const std::uint8_t *bits = slice(stored, head.bits_offset(head.block_of(hash)), head.parameters.block_bytes());
	return bloom::block_contains(bits, hash, head.parameters.hashes, head.parameters.block_bits_log2());
}

enum class Question { contains, count };

unsigned answer(Question question, const varlena *value, const ValueSource &source, Datum looked_up)
{
	const Filter filter = open_or_raise<Filter>(at_rest(value));
	require_kind(Filter::type_name, filter.kind(), source.kind);
	if (filter.is_parameterless())
		return 0;
	const Hash64 hash = hash_value(source, looked_up, filter.seed());
	return question == Question::contains ? filter.contains(hash) : count(filter, hash);
}

unsigned answer_by_slices(Question question, Datum stored, const ValueSource &source, Datum looked_up)
{
	const std::size_t size = stored_size(stored), front = std::min(largest_head, size);
	Head head;
	if (const Malformed reason = head.read({slice(stored, 0, front), front}, size); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	if (head.is_working())
		return answer(question, detoast_packed(stored), source, looked_up);
	require_kind(Filter::type_name, head.header.kind, source.kind);
	if (head.is_parameterless())
		return 0;
	const Hash64 hash = hash_value(source, looked_up, head.header.seed);
	return question == Question::contains ? contains_by_slices(stored, head, hash)
	                                      : count_by_slices(stored, head, hash, size);
}

// A slice of a head and one of a block take as long as reading this much.
constexpr std::size_t bytes_per_lookup = 32768;

unsigned answer_to(Question question, FunctionCallInfo fcinfo)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Datum filter = PG_GETARG_DATUM(0), value = PG_GETARG_DATUM(1);
	if (!VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(filter)))
		return answer(question, image_argument(fcinfo, 0), source, value);
	const varlena *whole = kept_after_lookups(filter, bytes_per_lookup);
	return whole != nullptr ? answer(question, whole, source, value) : answer_by_slices(question, filter, source, value);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(counting_bloom_contains);
PG_FUNCTION_INFO_V1(counting_bloom_count);

Datum counting_bloom_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(answer_to(Question::contains, fcinfo) != 0);
}

// counting_bloom_count(filter, value): 15 stands for 15 or more.
Datum counting_bloom_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(static_cast<int64>(answer_to(Question::count, fcinfo)));
}

}  // extern "C"
}  // namespace bloomsketch::counting_bloom
