#include "common/value_container_pg.hpp"

namespace bloomsketch {
namespace {

enum RangeFlag : std::uint8_t {
	range_empty = 0x01,
	lower_inclusive = 0x02,
	upper_inclusive = 0x04,
	lower_infinite = 0x08,
	upper_infinite = 0x10,
};

std::uint8_t flags_of(const RangeBound &lower, const RangeBound &upper)
{
	return static_cast<std::uint8_t>((lower.inclusive ? lower_inclusive : 0) | (upper.inclusive ? upper_inclusive : 0) |
	                                 (lower.infinite ? lower_infinite : 0) | (upper.infinite ? upper_infinite : 0));
}

void append_bounds(ImageHasher &image, TypeCacheEntry *type, const ValueSource &element, const RangeType *range)
{
	RangeBound lower;
	RangeBound upper;
	bool empty;
	range_deserialize(type, range, &lower, &upper, &empty);
	if (empty) {
		image.append_byte(range_empty);
		return;
	}
	image.append_byte(flags_of(lower, upper));
	if (!lower.infinite)
		image.append_part(element, lower.val, false);
	if (!upper.infinite)
		image.append_part(element, upper.val, false);
}

ValueSource bound_source(const TypeCacheEntry *range)
{
	return source_for_type(range->rngelemtype->type_id, range->rng_collation);
}

void append_columns(ImageHasher &image, TupleDesc columns, HeapTuple tuple)
{
	auto *values = static_cast<Datum *>(palloc(sizeof(Datum) * static_cast<std::size_t>(columns->natts)));
	auto *nulls = static_cast<bool *>(palloc(sizeof(bool) * static_cast<std::size_t>(columns->natts)));
	heap_deform_tuple(tuple, columns, values, nulls);
	for (int i = 0; i < columns->natts; ++i) {
		const FormData_pg_attribute *column = TupleDescAttr(columns, i);
		if (column->attisdropped)
			continue;
		const ValueSource source = source_for_type(column->atttypid, column->attcollation);
		image.append_byte(source.kind.code);
		image.append_part(source, values[i], nulls[i]);
	}
}

bool needs_memory(const ValueSource &source)
{
	return source.reading == Reading::image;
}

}  // namespace

void ImageHasher::append(Bytes bytes)
{
	if (open_parts_ == 0)
		XXH3_64bits_update(&stream_, bytes.data(), bytes.size());
	else
		appendBinaryStringInfo(&pending_, reinterpret_cast<const char *>(bytes.data()), static_cast<int>(bytes.size()));
}

// The length of a container is known only behind it, and then put in its place.
void ImageHasher::append_part(const ValueSource &source, Datum value, bool is_null)
{
	if (is_null) {
		append_word32(0xFFFFFFFF);
		return;
	}
	++open_parts_;
	const int at = pending_.len;
	append_word32(0);
	append_value(source, value);
	const auto length = static_cast<std::uint32_t>(pending_.len - at) - std::uint32_t{4};
	store_le(reinterpret_cast<std::uint8_t *>(pending_.data) + at, length);
	if (--open_parts_ == 0) {
		XXH3_64bits_update(&stream_, pending_.data, static_cast<std::size_t>(pending_.len));
		resetStringInfo(&pending_);
	}
}

void ImageHasher::append_value(const ValueSource &source, Datum value)
{
	ImageBuffer buffer;
	if (!is_container(source)) {
		append(value_image(source, value, buffer));
		return;
	}
	check_stack_depth();
	switch (source.kind.shape()) {
	case ValueShape::array: append_array(*this, value); return;
	case ValueShape::range: append_range(*this, value); return;
	case ValueShape::multirange: append_multirange(*this, value); return;
	case ValueShape::scalar: break;
	}
	if (source.kind == ValueKind(ValueType::jsonb))
		append_jsonb(*this, value);
	else
		append_record(*this, value);
}

bool is_container(const ValueSource &source)
{
	return source.kind.shape() != ValueShape::scalar || source.kind == ValueKind(ValueType::record) ||
	       source.kind == ValueKind(ValueType::jsonb);
}

// Array equality compares dimensions and lower bounds as well as elements.
void append_array(ImageHasher &image, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	const ValueSource source = source_for_type(ARR_ELEMTYPE(array), InvalidOid);
	image.append_word32(static_cast<std::uint32_t>(ARR_NDIM(array)));
	for (int i = 0; i < ARR_NDIM(array); ++i) {
		image.append_word32(static_cast<std::uint32_t>(ARR_DIMS(array)[i]));
		image.append_word32(static_cast<std::uint32_t>(ARR_LBOUND(array)[i]));
	}
	const PartMemory memory;
	ArrayIterator elements = array_create_iterator(array, 0, nullptr);
	Datum element;
	bool is_null;
	while (array_iterate(elements, &element, &is_null)) {
		CHECK_FOR_INTERRUPTS();
		if (needs_memory(source))
			memory.use([&] { image.append_part(source, element, is_null); });
		else
			image.append_part(source, element, is_null);
	}
	array_free_iterator(elements);
	memory.release();
}

void append_range(ImageHasher &image, Datum value)
{
	const RangeType *range = DatumGetRangeTypeP(value);
	TypeCacheEntry *type = lookup_type_cache(RangeTypeGetOid(range), TYPECACHE_RANGE_INFO);
	append_bounds(image, type, bound_source(type), range);
}

void append_multirange(ImageHasher &image, Datum value)
{
	const MultirangeType *ranges = DatumGetMultirangeTypeP(value);
	TypeCacheEntry *type = lookup_type_cache(MultirangeTypeGetOid(ranges), TYPECACHE_MULTIRANGE_INFO)->rngtype;
	const ValueSource element = bound_source(type);
	const PartMemory memory;
	image.append_word32(ranges->rangeCount);
	for (std::uint32_t i = 0; i < ranges->rangeCount; ++i) {
		CHECK_FOR_INTERRUPTS();
		memory.use([&] {
			append_bounds(image, type, element, multirange_get_range(type, ranges, static_cast<int>(i)));
		});
	}
	memory.release();
}

// A row's columns carry their kinds, since the sketch knows only that they are
// rows. Dropped columns are no part of it.
void append_record(ImageHasher &image, Datum value)
{
	HeapTupleHeader row = DatumGetHeapTupleHeader(value);
	TupleDesc columns = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple{};
	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	tuple.t_data = row;
	append_columns(image, columns, &tuple);
}

}  // namespace bloomsketch
