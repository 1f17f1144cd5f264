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

void append_range(ImageBuilder &image, TypeCacheEntry *type, const ValueSource &element, const RangeType *range)
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

void append_columns(ImageBuilder &image, TupleDesc columns, HeapTuple tuple)
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

}  // namespace

// Array equality compares dimensions and lower bounds as well as elements.
Bytes array_image(Datum value)
{
	check_stack_depth();
	ArrayType *array = DatumGetArrayTypeP(value);
	const ValueSource source = source_for_type(ARR_ELEMTYPE(array), InvalidOid);
	ImageBuilder image;
	image.append_word32(static_cast<std::uint32_t>(ARR_NDIM(array)));
	for (int i = 0; i < ARR_NDIM(array); ++i) {
		image.append_word32(static_cast<std::uint32_t>(ARR_DIMS(array)[i]));
		image.append_word32(static_cast<std::uint32_t>(ARR_LBOUND(array)[i]));
	}
	ArrayIterator elements = array_create_iterator(array, 0, nullptr);
	Datum element;
	bool is_null;
	while (array_iterate(elements, &element, &is_null)) {
		CHECK_FOR_INTERRUPTS();
		image.append_part(source, element, is_null);
	}
	return image.bytes();
}

Bytes range_image(Datum value)
{
	check_stack_depth();
	const RangeType *range = DatumGetRangeTypeP(value);
	TypeCacheEntry *type = lookup_type_cache(RangeTypeGetOid(range), TYPECACHE_RANGE_INFO);
	ImageBuilder image;
	append_range(image, type, bound_source(type), range);
	return image.bytes();
}

Bytes multirange_image(Datum value)
{
	check_stack_depth();
	const MultirangeType *ranges = DatumGetMultirangeTypeP(value);
	TypeCacheEntry *type = lookup_type_cache(MultirangeTypeGetOid(ranges), TYPECACHE_MULTIRANGE_INFO)->rngtype;
	const ValueSource element = bound_source(type);
	ImageBuilder image;
	image.append_word32(ranges->rangeCount);
	for (std::uint32_t i = 0; i < ranges->rangeCount; ++i) {
		CHECK_FOR_INTERRUPTS();
		append_range(image, type, element, multirange_get_range(type, ranges, static_cast<int>(i)));
	}
	return image.bytes();
}

// A row's columns carry their kinds, since the sketch knows only that they are
// rows. Dropped columns are no part of it.
Bytes record_image(Datum value)
{
	check_stack_depth();
	HeapTupleHeader row = DatumGetHeapTupleHeader(value);
	TupleDesc columns = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple{};
	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	tuple.t_data = row;
	ImageBuilder image;
	append_columns(image, columns, &tuple);
	return image.bytes();
}

}  // namespace bloomsketch
