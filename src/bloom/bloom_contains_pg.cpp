// bloom_contains: is a value in a filter? Stored filters are large and lie out
// of line, and one look-up needs one block of them: it reads head and block by
// slices, until common/kept_pg.hpp has the filter whole.
#include "bloom/bloom_pg.hpp"
#include "common/kept_pg.hpp"

namespace bloomsketch::bloom {
namespace {

// Any filter but a fixed one: the value is in one of the layers.
bool layers_contain(const varlena *value, const ValueSource &source, Datum looked_up)
{
	const Layered filter = open_or_raise<Layered>(value);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	return filter.contains(hash_value(source, looked_up, filter.seed()));
}

bool contains(const varlena *given, const ValueSource &source, Datum looked_up)
{
	const varlena *value = at_rest(given);
	if (sizes_itself(image_of(value)))
		return layers_contain(value, source, looked_up);
	const Filter filter = open_or_raise<Filter>(value);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	return !filter.is_parameterless() && filter.contains(hash_value(source, looked_up, filter.seed()));
}

// Whether a block, of which the offset is known, holds a value's bits.
template <class Shape>
bool block_slice_contains(Datum stored, const Shape &shape, std::size_t offset, std::size_t length, Hash64 hash)
{
	return shape.block_contains(stored_slice(Filter::type_name, stored, offset, length).data(), hash);
}

// A slice of a head and one of a block take as long as reading this much.
constexpr std::size_t bytes_per_lookup = 32768;

// The filter whole, after so many readings that reading it whole would have been as quick.
const varlena *whole_after_readings(Datum stored)
{
	return kept_after_lookups(stored, bytes_per_lookup);
}

// The last layers are the largest. Each layer's block behind the first counts as another
// reading.
bool layers_contain_by_slices(Datum stored, Bytes first, std::size_t size, const ValueSource &source, Datum value)
{
	LayersHead head;
	if (const Malformed reason = head.read(first, size); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	require_kind(Filter::type_name, head.header.kind, source.kind);
	const Hash64 hash = hash_value(source, value, head.header.seed);
	for (std::size_t i = head.count; i-- > 0;) {
		const Layer &layer = head.layers[i];
		if (block_slice_contains(stored, layer, layer.block_offset(hash), layer.block_bytes(), hash))
			return true;
		if (const varlena *whole = i > 0 ? whole_after_readings(stored) : nullptr; whole != nullptr)
			return layers_contain(whole, source, value);
	}
	return false;
}

bool contains_by_slices(Datum stored, const ValueSource &source, Datum value)
{
	const std::size_t size = stored_size(stored);
	const Bytes front = stored_slice(Filter::type_name, stored, 0, std::min(largest_layers_head, size));
	if (is_in_form(front, Form::layered))
		return layers_contain_by_slices(stored, front, size, source, value);
	if (sizes_itself(front))
		return contains(detoast_packed(stored), source, value);
	Head filter;
	if (const Malformed reason = filter.read(front, size); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	if (filter.is_building())
		return contains(detoast_packed(stored), source, value);
	require_kind(Filter::type_name, filter.header.kind, source.kind);
	if (filter.is_parameterless())
		return false;
	const Hash64 hash = hash_value(source, value, filter.header.seed);
	return block_slice_contains(stored, filter, filter.block_offset(hash), filter.parameters.block_bytes(), hash);
}

bool contains_stored(Datum stored, const ValueSource &source, Datum value)
{
	const varlena *whole = whole_after_readings(stored);
	return whole != nullptr ? contains(whole, source, value) : contains_by_slices(stored, source, value);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_contains);

Datum bloom_contains(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Datum filter = PG_GETARG_DATUM(0);
	if (VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(filter)))
		PG_RETURN_BOOL(contains_stored(filter, source, PG_GETARG_DATUM(1)));
	PG_RETURN_BOOL(contains(image_argument(fcinfo, 0), source, PG_GETARG_DATUM(1)));
}

}  // extern "C"
}  // namespace bloomsketch::bloom
