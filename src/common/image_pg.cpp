#include "common/image_pg.hpp"

namespace bloomsketch {

varlena *new_image(std::size_t size)
{
	if (size > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("sketch of %zu bytes is larger than the limit of 1 GB", size));
	auto *value = static_cast<varlena *>(palloc(VARHDRSZ + size));
	SET_VARSIZE(value, VARHDRSZ + size);
	return value;
}

varlena *duplicate(const varlena *value)
{
	const Bytes image = image_of(value);
	varlena *copy = new_image(image.size());
	std::memcpy(image_of(copy).data(), image.data(), image.size());
	return copy;
}

namespace {

int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	const char lower = static_cast<char>(digit | 0x20);
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// False at the first character that is no hex digit.
bool decode_hex(const char *digits, MutableBytes bytes)
{
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		const int high = hex_digit(digits[2 * i]);
		const int low = hex_digit(digits[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
	}
	return true;
}

// The bytes written as \x and hex digits; nullptr where they are not.
varlena *decode_text(const char *text)
{
	const std::size_t length = std::strlen(text);
	if (length < 2 || length % 2 != 0 || text[0] != '\\' || text[1] != 'x')
		return nullptr;
	varlena *value = new_image(length / 2 - 1);
	return decode_hex(text + 2, image_of(value)) ? value : nullptr;
}

Datum accept_or_raise(const varlena *value, const char *type, Accept accept)
{
	Malformed reason;
	varlena *accepted = accept(value, reason);
	if (accepted == nullptr)
		raise_malformed(type, reason);
	PG_RETURN_POINTER(accepted);
}

}  // namespace

Datum sketch_in(FunctionCallInfo fcinfo, const char *type, Accept accept)
{
	const varlena *value = decode_text(PG_GETARG_CSTRING(0));
	if (value == nullptr) {
		bloomsketch_report(fcinfo, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
		                            errmsg("invalid input syntax for type %s", type),
		                            errdetail("The text form is \\x followed by pairs of hexadecimal digits."),
		                            errhint("Where a value was meant, the sketch comes before it: %s_add(sketch, value).", type)));
		PG_RETURN_NULL();
	}
	Malformed reason;
	varlena *accepted = accept(value, reason);
	if (accepted == nullptr) {
		bloomsketch_report(fcinfo, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
		                            errmsg("malformed %s: %s", type, describe(reason))));
		PG_RETURN_NULL();
	}
	PG_RETURN_POINTER(accepted);
}

Datum sketch_recv(FunctionCallInfo fcinfo, const char *type, Accept accept)
{
	auto *message = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
	const int length = message->len - message->cursor;
	varlena *value = new_image(static_cast<std::size_t>(length));
	pq_copymsgbytes(message, VARDATA(value), length);
	return accept_or_raise(value, type, accept);
}

Datum sketch_from_bytea(FunctionCallInfo fcinfo, const char *type, Accept accept)
{
	return accept_or_raise(image_argument(fcinfo, 0), type, accept);
}

void raise_no_aggregate(const char *step)
{
	ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	        errmsg("%s can only be called by an aggregate", step));
	pg_unreachable();
}

MemoryContext frame_memory(FunctionCallInfo fcinfo, const char *step)
{
	MemoryContext memory;
	if (AggCheckCallContext(fcinfo, &memory) != AGG_CONTEXT_WINDOW)
		ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		        errmsg("%s can only be called by a window aggregate", step));
	return memory;
}

Bytes stored_slice(const char *type, Datum stored, std::size_t offset, std::size_t length)
{
	const varlena *slice = detoast_attr_slice(reinterpret_cast<varlena *>(DatumGetPointer(stored)),
	                                          static_cast<int32>(offset), static_cast<int32>(length));
	if (VARSIZE_ANY_EXHDR(slice) != length)
		raise_malformed(type, Malformed::too_short);
	return image_of(slice);
}

void raise_malformed(const char *type, Malformed reason)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
	        errmsg("malformed %s: %s", type, describe(reason)));
	pg_unreachable();
}

void raise_null_parameter(const char *parameter)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be NULL", parameter));
	pg_unreachable();
}

void raise_kind_mismatch(const char *type, ValueKind held, ValueKind given)
{
	ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
	        errmsg("%s of %s values does not go with %s values", type, kind_name(held), kind_name(given)),
	        errhint("Keep one sketch for each kind of value; a value can be cast to the kind that a sketch holds."));
	pg_unreachable();
}

void require_kind(const char *type, ValueKind held, ValueKind given)
{
	if (!held.is_none() && held != given)
		raise_kind_mismatch(type, held, given);
}

void raise_seed_mismatch(const char *type, std::int64_t held, std::int64_t given)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("%s with seed %lld does not go with seed %lld", type, static_cast<long long>(held),
	               static_cast<long long>(given)),
	        errhint("Build all sketches that are to be united with one seed."));
	pg_unreachable();
}

void raise_total_out_of_range(const char *type)
{
	ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("total of a %s is out of range", type),
	        errdetail("All weights together are at most %lld.", static_cast<long long>(PG_INT64_MAX)));
	pg_unreachable();
}

std::uint64_t checked_weight(const char *type, std::int64_t weight)
{
	if (weight < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("weight %lld is negative", static_cast<long long>(weight)),
		        errhint("A %s counts what is added: weights are 0 or more.", type));
	return static_cast<std::uint64_t>(weight);
}

const char *shortest(double number)
{
	auto *text = static_cast<char *>(palloc(DOUBLE_SHORTEST_DECIMAL_LEN));
	double_to_shortest_decimal_buf(number, text);
	return text;
}

Datum row_result(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc columns;
	if (get_call_result_type(fcinfo, nullptr, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}

const char *kind_name(ValueKind kind)
{
	return psprintf("%s%s%s", kind.name_prefix(), kind.type_name(), kind.name_suffix());
}

const char *hex_text(Bytes image)
{
	const std::size_t size = 2 * image.size() + 3;
	if (!AllocSizeIsValid(size))
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("sketch of %zu bytes is too large for its text form", image.size()),
		        errhint("Text is limited to 1 GB. Send it in binary format, for example COPY ... WITH (FORMAT binary)."));
	auto *text = static_cast<char *>(palloc(size));
	char *end = text;
	*end++ = '\\';
	*end++ = 'x';
	for (const std::uint8_t byte : image) {
		*end++ = "0123456789abcdef"[byte >> 4];
		*end++ = "0123456789abcdef"[byte & 0x0F];
	}
	*end = '\0';
	return text;
}

extern "C" {

PG_FUNCTION_INFO_V1(sketch_out);

Datum sketch_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(hex_text(image_of(image_argument(fcinfo, 0))));
}

}  // extern "C"
}  // namespace bloomsketch
