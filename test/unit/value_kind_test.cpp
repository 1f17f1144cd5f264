// The byte that says what kind of value a sketch holds.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "common/value_kind.hpp"

namespace bloomsketch {
namespace {

std::string name(ValueKind kind)
{
	return std::string(kind.name_prefix()) + kind.type_name() + kind.name_suffix();
}

// Numbers are file format.
TEST(ValueKind, CodesAreFixed)
{
	EXPECT_EQ(ValueKind().code, 0);
	const ValueType in_order[] = {
		ValueType::none, ValueType::boolean, ValueType::integer, ValueType::oid, ValueType::xid8,
		ValueType::floating, ValueType::numeric, ValueType::money, ValueType::text, ValueType::single_char,
		ValueType::bytea, ValueType::uuid, ValueType::date, ValueType::timestamp, ValueType::timestamptz,
		ValueType::time, ValueType::timetz, ValueType::interval, ValueType::inet, ValueType::macaddr,
		ValueType::macaddr8, ValueType::bit, ValueType::pg_lsn, ValueType::enumeration, ValueType::jsonb,
		ValueType::record, ValueType::array_type, ValueType::range_type, ValueType::multirange_type,
	};
	int code = 0;
	for (const ValueType type : in_order)
		EXPECT_EQ(ValueKind(type).code, code++);
	EXPECT_GE(value_type_count, code) << "types may be added behind the last";
	EXPECT_EQ(ValueKind(ValueType::text, ValueShape::array).code, 0x48);
	EXPECT_EQ(ValueKind(ValueType::integer, ValueShape::range).code, 0x82);
	EXPECT_EQ(ValueKind(ValueType::date, ValueShape::multirange).code, 0xCC);
}

TEST(ValueKind, KnownCodesHaveTheirOwnNames)
{
	std::set<std::string> names;
	std::size_t known = 0;
	for (unsigned code = 0; code < 256; ++code) {
		const ValueKind kind(static_cast<std::uint8_t>(code));
		const unsigned type = code & 0x3F;
		ASSERT_EQ(kind.is_known(), code == 0 || (type >= 1 && type < static_cast<unsigned>(value_type_count))) << code;
		ASSERT_EQ(ValueKind(kind.type(), kind.shape()), kind);
		if (kind.is_known()) {
			names.insert(name(kind));
			++known;
		}
	}
	EXPECT_EQ(names.size(), known);
	EXPECT_EQ(name(ValueKind(ValueType::integer, ValueShape::array)), "integer[]");
	EXPECT_EQ(name(ValueKind(ValueType::date, ValueShape::range)), "range of date");
	EXPECT_EQ(name(ValueKind(ValueType::numeric, ValueShape::multirange)), "multirange of numeric");
}

TEST(ValueKind, ContainersOfContainers)
{
	const ValueKind integer(ValueType::integer);
	EXPECT_EQ(integer.inside(ValueShape::array), ValueKind(ValueType::integer, ValueShape::array));
	EXPECT_EQ(integer.inside(ValueShape::range).inside(ValueShape::array),
	          ValueKind(ValueType::range_type, ValueShape::array));
	EXPECT_EQ(integer.inside(ValueShape::array).inside(ValueShape::array),
	          ValueKind(ValueType::array_type, ValueShape::array));
	EXPECT_EQ(integer.inside(ValueShape::multirange).inside(ValueShape::range),
	          ValueKind(ValueType::multirange_type, ValueShape::range));
	for (unsigned code = 1; code < 256; ++code) {
		const ValueKind kind(static_cast<std::uint8_t>(code));
		for (const ValueShape shape : {ValueShape::array, ValueShape::range, ValueShape::multirange})
			EXPECT_TRUE(!kind.is_known() || kind.inside(shape).is_known());
	}
}

}  // namespace
}  // namespace bloomsketch
