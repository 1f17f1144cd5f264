// The image of jsonb: a tag byte for each value, objects in ascending order of
// their keys' UTF-8 bytes.
//
//   n  null          t  true          f  false
//   d  number: its part as for numeric
//   s  string: its part in UTF-8
//   a  array: number of elements in four bytes, the elements
//   o  object: number of keys in four bytes, key part and value for each
#include "common/value_container_pg.hpp"

namespace bloomsketch {
namespace {

struct Pair {
	Bytes key;
	JsonbValue value;
};

bool comes_first(const Pair &a, const Pair &b)
{
	const int order = std::memcmp(a.key.data(), b.key.data(), std::min(a.key.size(), b.key.size()));
	return order != 0 ? order < 0 : a.key.size() < b.key.size();
}

Bytes string_image(const JsonbValue &string)
{
	return utf8_image(string.val.string.val, static_cast<std::size_t>(string.val.string.len));
}

void append_container(ImageHasher &image, const PartMemory &memory, JsonbContainer *container);

void append_tagged(ImageHasher &image, char tag, Bytes part)
{
	image.append_byte(static_cast<std::uint8_t>(tag));
	image.append_part(part);
}

void append_value(ImageHasher &image, const PartMemory &memory, const JsonbValue &value)
{
	CHECK_FOR_INTERRUPTS();
	switch (value.type) {
	case jbvNull: image.append_byte('n'); break;
	case jbvBool: image.append_byte(value.val.boolean ? 't' : 'f'); break;
	case jbvNumeric:
		memory.use([&] { append_tagged(image, 'd', numeric_image(NumericGetDatum(value.val.numeric))); });
		break;
	case jbvString: memory.use([&] { append_tagged(image, 's', string_image(value)); }); break;
	case jbvBinary: append_container(image, memory, value.val.binary.data); break;
	default: elog(ERROR, "unexpected type of jsonb value: %d", static_cast<int>(value.type));
	}
}

// The elements up to the array's end; a scalar at the top is stored as an array
// of one.
void append_elements(ImageHasher &image, const PartMemory &memory, JsonbIterator *iterator, const JsonbValue &begin)
{
	if (!begin.val.array.rawScalar) {
		image.append_byte('a');
		image.append_word32(static_cast<std::uint32_t>(begin.val.array.nElems));
	}
	JsonbValue element;
	while (JsonbIteratorNext(&iterator, &element, true) == WJB_ELEM)
		append_value(image, memory, element);
}

void append_object(ImageHasher &image, const PartMemory &memory, JsonbIterator *iterator, std::uint32_t count)
{
	auto *pairs = static_cast<Pair *>(palloc(sizeof(Pair) * count));
	JsonbValue key;
	for (std::uint32_t i = 0; i < count; ++i) {
		JsonbIteratorNext(&iterator, &key, true);
		pairs[i].key = string_image(key);
		JsonbIteratorNext(&iterator, &pairs[i].value, true);
	}
	std::sort(pairs, pairs + count, comes_first);
	image.append_byte('o');
	image.append_word32(count);
	for (std::uint32_t i = 0; i < count; ++i) {
		image.append_part(pairs[i].key);
		append_value(image, memory, pairs[i].value);
	}
	pfree(pairs);
	pfree(iterator);
}

void append_container(ImageHasher &image, const PartMemory &memory, JsonbContainer *container)
{
	check_stack_depth();
	JsonbIterator *iterator = JsonbIteratorInit(container);
	JsonbValue begin;
	if (JsonbIteratorNext(&iterator, &begin, true) == WJB_BEGIN_ARRAY)
		append_elements(image, memory, iterator, begin);
	else
		append_object(image, memory, iterator, static_cast<std::uint32_t>(begin.val.object.nPairs));
}

}  // namespace

void append_jsonb(ImageHasher &image, Datum value)
{
	const PartMemory memory;
	append_container(image, memory, &DatumGetJsonbP(value)->root);
	memory.release();
}

}  // namespace bloomsketch
