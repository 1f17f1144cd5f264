// What kind of value a sketch holds: one byte in its header. Kinds are file
// format: a number is never given a second meaning.
//
//   bits 0..5  the type (ValueType)
//   bits 6..7  its shape: the type itself, an array of it, a range of it, a
//              multirange of it
//
// An element that is an array, a range or a multirange itself is named by its
// shape alone (`array_type` and so on), so one byte is always enough.
#pragma once

#include <cstdint>

namespace bloomsketch {

enum class ValueType : std::uint8_t {
	none = 0,
	boolean = 1,
	integer = 2,  // smallint, integer and bigint are one
	oid = 3,      // oid, xid and cid
	xid8 = 4,
	floating = 5,  // real and double precision are one
	numeric = 6,
	money = 7,
	text = 8,  // text, varchar, char(n), name
	single_char = 9,
	bytea = 10,
	uuid = 11,
	date = 12,
	timestamp = 13,
	timestamptz = 14,
	time = 15,
	timetz = 16,
	interval = 17,
	inet = 18,  // inet and cidr
	macaddr = 19,
	macaddr8 = 20,
	bit = 21,  // bit and varbit
	pg_lsn = 22,
	enumeration = 23,
	jsonb = 24,
	record = 25,
	array_type = 26,
	range_type = 27,
	multirange_type = 28,
};

enum class ValueShape : std::uint8_t { scalar = 0, array = 1, range = 2, multirange = 3 };

inline constexpr const char *value_type_names[] = {
	"none", "boolean", "integer", "oid", "xid8", "double precision", "numeric", "money",
	"text", "\"char\"", "bytea", "uuid", "date", "timestamp", "timestamptz", "time",
	"timetz", "interval", "inet", "macaddr", "macaddr8", "bit", "pg_lsn", "enum",
	"jsonb", "record", "array", "range", "multirange",
};
inline constexpr int value_type_count = sizeof(value_type_names) / sizeof(value_type_names[0]);

struct ValueKind {
	std::uint8_t code = 0;

	constexpr ValueKind() = default;
	constexpr explicit ValueKind(std::uint8_t stored) : code(stored) {}
	constexpr ValueKind(ValueType type, ValueShape shape = ValueShape::scalar)
		: code(static_cast<std::uint8_t>(static_cast<unsigned>(shape) << 6 | static_cast<unsigned>(type)))
	{
	}

	constexpr ValueType type() const { return static_cast<ValueType>(code & 0x3F); }
	constexpr ValueShape shape() const { return static_cast<ValueShape>(code >> 6); }
	constexpr bool is_none() const { return code == 0; }
	constexpr bool operator==(const ValueKind &) const = default;

	// Whether sketches that hold these kinds can be united.
	constexpr bool agrees_with(ValueKind other) const { return *this == other || is_none() || other.is_none(); }

	// Whether this is a code that a sketch may carry.
	constexpr bool is_known() const
	{
		return is_none() || (type() != ValueType::none && (code & 0x3F) < value_type_count);
	}

	// The kind of an array, range or multirange over values of this kind.
	constexpr ValueKind inside(ValueShape container) const
	{
		switch (shape()) {
		case ValueShape::array: return {ValueType::array_type, container};
		case ValueShape::range: return {ValueType::range_type, container};
		case ValueShape::multirange: return {ValueType::multirange_type, container};
		case ValueShape::scalar: break;
		}
		return {type(), container};
	}

	// The kind's name is prefix, type name, suffix, in that order.
	constexpr const char *name_prefix() const
	{
		switch (shape()) {
		case ValueShape::range: return "range of ";
		case ValueShape::multirange: return "multirange of ";
		default: return "";
		}
	}
	constexpr const char *type_name() const { return value_type_names[code & 0x3F]; }
	constexpr const char *name_suffix() const { return shape() == ValueShape::array ? "[]" : ""; }
};

}  // namespace bloomsketch
