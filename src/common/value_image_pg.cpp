// Images of scalars. value_container_pg.cpp has those of arrays, ranges and
// composites, value_jsonb_pg.cpp that of jsonb.
#include "common/value_container_pg.hpp"

namespace bloomsketch {
namespace {

// One image for all NaN, one for -0 and 0, as float8 equality has it.
std::uint64_t float_word(double value)
{
	if (std::isnan(value))
		return 0x7FF8000000000000;
	return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

Bytes fixed_image(const void *data, std::size_t size)
{
	return {static_cast<const std::uint8_t *>(data), size};
}

Bytes uuid_image(Datum value)
{
	return fixed_image(DatumGetUUIDP(value)->data, UUID_LEN);
}

Bytes text_image(Datum value)
{
	const Bytes text = verbatim_image(value);
	return utf8_image(reinterpret_cast<const char *>(text.data()), text.size());
}

// char(n) is equal whatever blanks it ends in.
Bytes bpchar_image(Datum value)
{
	const Bytes text = verbatim_image(value);
	auto *start = reinterpret_cast<char *>(const_cast<std::uint8_t *>(text.data()));
	return utf8_image(start, static_cast<std::size_t>(bpchartruelen(start, static_cast<int>(text.size()))));
}

Bytes cstring_image(const char *text)
{
	return utf8_image(text, std::strlen(text));
}

Bytes enum_image(Datum value)
{
	const Oid member = DatumGetObjectId(value);
	HeapTuple tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(member));
	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
		        errmsg("invalid internal value for enum: %u", member));
	const char *label = pstrdup(NameStr(reinterpret_cast<Form_pg_enum>(GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return cstring_image(label);
}

Bytes timetz_image(Datum value, ImageBuffer &buffer)
{
	const TimeTzADT *time = DatumGetTimeTzADTP(value);
	store_le(buffer.data(), static_cast<std::uint64_t>(time->time));
	store_le(buffer.data() + 8, static_cast<std::uint32_t>(time->zone));
	return {buffer.data(), 12};
}

// Intervals are equal when their lengths in microseconds are, at 30 days to
// the month and 24 hours to the day; that takes 128 bits.
Bytes interval_image(Datum value, ImageBuffer &buffer)
{
	const Interval *interval = DatumGetIntervalP(value);
	const std::int64_t days = std::int64_t{interval->month} * 30 + interval->day;
	const int128 length = static_cast<int128>(days) * USECS_PER_DAY + interval->time;
	store_le(buffer.data(), static_cast<std::uint64_t>(length));
	store_le(buffer.data() + 8, static_cast<std::uint64_t>(length >> 64));
	return {buffer.data(), 16};
}

Bytes inet_image(Datum value, ImageBuffer &buffer)
{
	inet *address = DatumGetInetPP(value);
	const auto size = static_cast<std::size_t>(ip_addrsize(address));
	buffer[0] = ip_family(address) == PGSQL_AF_INET ? 4 : 6;
	buffer[1] = ip_bits(address);
	std::memcpy(buffer.data() + 2, ip_addr(address), size);
	return {buffer.data(), 2 + size};
}

// The number of bits and the bits.
Bytes bit_image(Datum value)
{
	VarBit *bits = DatumGetVarBitP(value);
	const auto size = static_cast<std::size_t>(VARBITBYTES(bits));
	auto *image = static_cast<std::uint8_t *>(palloc(4 + size));
	store_le(image, static_cast<std::uint32_t>(VARBITLEN(bits)));
	std::memcpy(image + 4, VARBITS(bits), size);
	return {image, 4 + size};
}

Bytes char_image(Datum value, ImageBuffer &buffer)
{
	buffer[0] = static_cast<std::uint8_t>(DatumGetChar(value));
	return {buffer.data(), 1};
}

}  // namespace

std::uint64_t word_image(Oid type, Datum value)
{
	switch (type) {
	case INT4OID:
	case DATEOID: return static_cast<std::uint64_t>(std::int64_t{DatumGetInt32(value)});
	case INT2OID: return static_cast<std::uint64_t>(std::int64_t{DatumGetInt16(value)});
	case BOOLOID: return DatumGetBool(value);
	case OIDOID:
	case XIDOID:
	case CIDOID: return DatumGetObjectId(value);
	case FLOAT4OID: return float_word(DatumGetFloat4(value));
	case FLOAT8OID: return float_word(DatumGetFloat8(value));
	default: return static_cast<std::uint64_t>(DatumGetInt64(value));
	}
}

Bytes utf8_image(const char *text, std::size_t length)
{
	if (is_utf8_server())
		return fixed_image(text, length);
	const char *converted = pg_server_to_any(text, static_cast<int>(length), PG_UTF8);
	return fixed_image(converted, converted == text ? length : std::strlen(converted));
}

// Plain decimal digits, without zeros at the end of a fraction: 1.50 is "1.5",
// 1e3 is "1000".
Bytes numeric_image(Datum value)
{
	const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
	std::size_t length = std::strlen(text);
	if (std::memchr(text, '.', length) != nullptr) {
		while (text[length - 1] == '0')
			--length;
		if (text[length - 1] == '.')
			--length;
	}
	return fixed_image(text, length);
}

Bytes value_image(const ValueSource &source, Datum value, ImageBuffer &buffer)
{
	if (source.reading == Reading::int64 || source.reading == Reading::word) {
		store_le(buffer.data(), word_image(source.type, value));
		return {buffer.data(), sizeof(std::uint64_t)};
	}
	switch (source.type) {
	case TEXTOID:
	case VARCHAROID: return text_image(value);
	case BPCHAROID: return bpchar_image(value);
	case NAMEOID: return cstring_image(NameStr(*DatumGetName(value)));
	case UNKNOWNOID: return cstring_image(DatumGetCString(value));
	case BYTEAOID: return verbatim_image(value);
	case UUIDOID: return uuid_image(value);
	case NUMERICOID: return numeric_image(value);
	case CHAROID: return char_image(value, buffer);
	case TIMETZOID: return timetz_image(value, buffer);
	case INTERVALOID: return interval_image(value, buffer);
	case INETOID:
	case CIDROID: return inet_image(value, buffer);
	case MACADDROID: return fixed_image(DatumGetPointer(value), 6);
	case MACADDR8OID: return fixed_image(DatumGetPointer(value), 8);
	case BITOID:
	case VARBITOID: return bit_image(value);
	default: return enum_image(value);
	}
}

Hash64 hash_image(const ValueSource &source, Datum value, std::int64_t seed)
{
	if (is_container(source)) {
		ImageHasher image(seed);
		image.append_value(source, value);
		return image.hash();
	}
	ImageBuffer buffer;
	const Bytes image = value_image(source, value, buffer);
	return hash_bytes(image.data(), image.size(), seed);
}

}  // namespace bloomsketch
