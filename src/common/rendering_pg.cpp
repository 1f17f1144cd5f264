#include "common/rendering_pg.hpp"

#include "common/value_container_pg.hpp"

namespace bloomsketch {
namespace {

using How = Rendering::How;
using Texts = Rendering::Texts;

How how_to_write(const ValueSource &source)
{
	if (source.kind == ValueKind(ValueType::text) || source.kind == ValueKind(ValueType::enumeration))
		return source.reading == Reading::verbatim ? How::verbatim : How::image;
	if (source.kind == ValueKind(ValueType::integer))
		return How::integer;
	if (source.kind == ValueKind(ValueType::single_char))
		return How::single_char;
	return source.kind == ValueKind(ValueType::money) ? How::money : How::output;
}

// The type of what an array, a range or a multirange holds; none of others.
Oid held_type(const ValueSource &source)
{
	switch (source.kind.shape()) {
	case ValueShape::array: return get_element_type(source.type);
	case ValueShape::range: return get_range_subtype(source.type);
	case ValueShape::multirange: return get_range_subtype(get_multirange_range(source.type));
	case ValueShape::scalar: break;
	}
	return InvalidOid;
}

Texts how_many_texts(const ValueSource &source)
{
	if (const Oid type = held_type(source); OidIsValid(type)) {
		const ValueSource held = source_for_type(type, InvalidOid);
		// Alone, char(n) is written without the blanks that it ends in; inside others
		// it is not.
		const bool is_one = held.type != BPCHAROID && how_many_texts(held) == Texts::one;
		return is_one ? Texts::one : Texts::several;
	}
	switch (source.kind.type()) {
	case ValueType::numeric:
	case ValueType::interval:
	case ValueType::jsonb:
	case ValueType::record: return Texts::several;
	case ValueType::floating: return Texts::several_of_zero;
	default: return Texts::one;
	}
}

// Whether there may be money inside others.
bool may_hold_money(ValueKind kind)
{
	switch (kind.type()) {
	case ValueType::money:
	case ValueType::record:
	case ValueType::array_type:
	case ValueType::range_type:
	case ValueType::multirange_type: return true;
	default: return false;
	}
}

pg_tz *utc()
{
	static pg_tz *const zone = pg_tzset("GMT");
	return zone;
}

// What output functions depend on, as it was.
struct OutputSettings {
	int date_style = DateStyle;
	int interval_style = IntervalStyle;
	int float_digits = extra_float_digits;
	int bytea_format = bytea_output;
	pg_tz *zone = session_timezone;

	void apply() const
	{
		DateStyle = date_style;
		IntervalStyle = interval_style;
		extra_float_digits = float_digits;
		bytea_output = bytea_format;
		session_timezone = zone;
	}
};

OutputSettings fixed_settings()
{
	return {USE_ISO_DATES, INTSTYLE_POSTGRES, 1, BYTEA_OUTPUT_HEX, utc()};
}

// The output function's text. Where it raises an error, the settings are put back
// as well.
char *call_output(FmgrInfo &output, Datum value)
{
	const OutputSettings settings;
	char *text = nullptr;
	PG_TRY();
	{
		fixed_settings().apply();
		text = OutputFunctionCall(&output, value);
	}
	PG_FINALLY();
	{
		settings.apply();
	}
	PG_END_TRY();
	return text;
}

// The same with money as in the locale C. What lc_monetary says is kept in a form
// that only its assignment brings up to date, hence the detour; errors undo it.
char *call_output_with_money(FmgrInfo &output, Datum value)
{
	if (std::strcmp(GetConfigOption("lc_monetary", false, false), "C") == 0)
		return call_output(output, value);
	const int level = NewGUCNestLevel();
	set_config_option("lc_monetary", "C", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	char *text = call_output(output, value);
	AtEOXact_GUC(true, level);
	return text;
}

Bytes output_text(WrittenSource &written, Datum value)
{
	FmgrInfo &output = written.rendering.output;
	const bool with_money = may_hold_money(written.source.kind);
	const char *text = with_money ? call_output_with_money(output, value) : call_output(output, value);
	return utf8_image(text, std::strlen(text));
}

Bytes front_of(ImageBuffer &buffer, int length)
{
	return {buffer.data(), static_cast<std::size_t>(length)};
}

Bytes integer_text(std::int64_t value, ImageBuffer &buffer)
{
	return front_of(buffer, pg_lltoa(value, reinterpret_cast<char *>(buffer.data())));
}

// As PostgreSQL 16 writes it: 15 gives bytes that are no text.
Bytes single_char_text(Datum value, ImageBuffer &buffer)
{
	const auto byte = static_cast<std::uint8_t>(DatumGetChar(value));
	if (byte < 0x80) {
		buffer[0] = byte;
		return {buffer.data(), std::size_t{byte != 0}};
	}
	buffer[0] = '\\';
	for (std::size_t i = 1; i <= 3; ++i)
		buffer[i] = static_cast<std::uint8_t>('0' + (byte >> (9 - 3 * i) & 7));
	return front_of(buffer, 4);
}

// In the locale C: -$1,234.56.
Bytes money_text(std::int64_t value)
{
	constexpr int size = 32;
	auto *text = static_cast<std::uint8_t *>(palloc(size));
	std::uint64_t rest = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
	int at = size;
	for (int digit = 0; digit < 3 || rest > 0; ++digit) {
		if (digit == 2)
			text[--at] = '.';
		else if (digit > 2 && digit % 3 == 2)
			text[--at] = ',';
		text[--at] = static_cast<std::uint8_t>('0' + rest % 10);
		rest /= 10;
	}
	text[--at] = '$';
	if (value < 0)
		text[--at] = '-';
	return {text + at, static_cast<std::size_t>(size - at)};
}

Bytes text_of(WrittenSource &written, Datum value, ImageBuffer &buffer)
{
	const ValueSource &source = written.source;
	switch (written.rendering.how) {
	case How::verbatim: return verbatim_image(value);
	case How::image: return value_image(source, value, buffer);
	case How::integer: return integer_text(static_cast<std::int64_t>(word_image(source.type, value)), buffer);
	case How::single_char: return single_char_text(value, buffer);
	case How::money: return money_text(DatumGetInt64(value));
	case How::output:
	case How::unknown: break;
	}
	return output_text(written, value);
}

// Most texts are, and are known to be valid by this in a fraction of the time.
bool is_ascii(Bytes text)
{
	std::uint64_t bits = 0;
	for (; text.size() >= sizeof(bits); text = text.subspan(sizeof(bits)))
		bits |= load_le<std::uint64_t>(text.data());
	for (const std::uint8_t byte : text)
		bits |= byte;
	return (bits & 0x8080808080808080) == 0;
}

const char *characters(Bytes text)
{
	return reinterpret_cast<const char *>(text.data());
}

}  // namespace

void find_rendering(const ValueSource &source, MemoryContext memory, Rendering &rendering)
{
	rendering.texts = how_many_texts(source);
	const How how = how_to_write(source);
	if (how == How::output) {
		Oid output;
		bool is_varlena;
		getTypeOutputInfo(source.type, &output, &is_varlena);
		fmgr_info_cxt(output, &rendering.output, memory);
	}
	rendering.how = how;  // last: it says that all of this is known
}

// Whatever bytes a table holds, a sketch holds texts: it must be read again after a
// dump.
Bytes render(WrittenSource &written, Datum value, ImageBuffer &buffer)
{
	const Bytes text = text_of(written, value, buffer);
	if (!is_ascii(text) && GetDatabaseEncoding() == PG_UTF8)
		pg_verify_mbstr(PG_UTF8, characters(text), static_cast<int>(text.size()), false);
	return text;
}

bool is_valid_text(Bytes text)
{
	return GetDatabaseEncoding() == PG_SQL_ASCII ||
	       pg_verify_mbstr(PG_UTF8, characters(text), static_cast<int>(text.size()), true);
}

Datum text_value(Bytes text)
{
	const auto length = static_cast<int>(text.size());
	if (is_utf8_server())
		return PointerGetDatum(cstring_to_text_with_len(characters(text), length));
	// What needs no conversion, being empty, comes back as it is, without an end.
	char *converted = pg_any_to_server(characters(text), length, PG_UTF8);
	if (converted == characters(text))
		return PointerGetDatum(cstring_to_text_with_len(converted, length));
	return CStringGetTextDatum(converted);
}

}  // namespace bloomsketch
