// Sketches as PostgreSQL values: bytes behind a length word, from whichever
// door they come in.
#pragma once

#include "common/bytes.hpp"
#include "common/malformed.hpp"
#include "common/pg.hpp"
#include "common/rounded.hpp"
#include "common/value_kind.hpp"

namespace bloomsketch {

// Allocates a value with an image of `size` bytes, to be written through
// image_of(). The limit is PostgreSQL's: 1 GB.
varlena *new_image(std::size_t size);

// A value of its own with the same image.
varlena *duplicate(const varlena *value);

// The image of a value that is not toasted or compressed.
inline Bytes image_of(const varlena *value)
{
	return {reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}
inline MutableBytes image_of(varlena *value)
{
	return {reinterpret_cast<std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

// States and scratch are made in values of their own, in the current memory context.
inline constexpr auto allocate = [](std::size_t size) { return image_of(new_image(size)); };

// The value that new_image() made for an image.
inline varlena *value_of(MutableBytes image)
{
	return reinterpret_cast<varlena *>(image.data() - VARHDRSZ);
}

// The image in an argument, detoasted where it has to be.
inline const varlena *image_argument(FunctionCallInfo fcinfo, int argument)
{
	return detoast_packed(PG_GETARG_DATUM(argument));
}

// The size of an image in an argument, and a slice of it, read without the rest where it
// is stored out of line; an error where it ends too early.
inline std::size_t stored_size(Datum stored)
{
	return toast_raw_datum_size(stored) - VARHDRSZ;
}
Bytes stored_slice(const char *type, Datum stored, std::size_t offset, std::size_t length);

// Checks bytes from outside, whole, and gives the canonical image with their
// contents; nullptr and `reason` where they are no sketch of the type.
using Accept = varlena *(*)(const varlena *value, Malformed &reason);

// The three doors: text (hex like bytea's), binary messages, bytea.
Datum sketch_in(FunctionCallInfo fcinfo, const char *type, Accept accept);
Datum sketch_recv(FunctionCallInfo fcinfo, const char *type, Accept accept);
Datum sketch_from_bytea(FunctionCallInfo fcinfo, const char *type, Accept accept);

// The text form: \x and hex digits, whatever bytea_output says.
const char *hex_text(Bytes image);

// The image of an aggregate's state in argument 0, which may be changed in place;
// empty where there is none, or only in a form that has to be copied first.
inline MutableBytes state_image(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return {};
	auto *value = reinterpret_cast<varlena *>(PG_GETARG_POINTER(0));
	return VARATT_IS_4B_U(value) ? image_of(value) : MutableBytes();
}

// What a step function returns when there is nothing to add.
inline Datum unchanged_state(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

[[noreturn]] void raise_no_aggregate(const char *step);

// Raises an error unless the step function was called by an aggregate: it
// changes its first argument in place. (What AggCheckCallContext tells, in line.)
inline void require_aggregate(FunctionCallInfo fcinfo, const char *step)
{
	const fmNodePtr caller = fcinfo->context;
	if (caller == nullptr || !(IsA(caller, AggState) || IsA(caller, WindowAggState)))
		raise_no_aggregate(step);
}

// The memory that a moving window frame keeps its state in, or an error unless the
// step function was called for one; and that state, if there is one yet.
MemoryContext frame_memory(FunctionCallInfo fcinfo, const char *step);

template <class Frame>
Frame *frame_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? nullptr : reinterpret_cast<Frame *>(PG_GETARG_POINTER(0));
}

// Errors that all sketches share. `type` is the SQL type's name.
[[noreturn]] void raise_malformed(const char *type, Malformed reason);
[[noreturn]] void raise_null_parameter(const char *parameter);
[[noreturn]] void raise_kind_mismatch(const char *type, ValueKind held, ValueKind given);
[[noreturn]] void raise_seed_mismatch(const char *type, std::int64_t held, std::int64_t given);
[[noreturn]] void raise_total_out_of_range(const char *type);

// Opens an image with a sketch's view, or raises an error.
template <class View>
View open_or_raise(const varlena *value)
{
	View view;
	if (const Malformed reason = View::open(image_of(value), view); reason != Malformed::no)
		raise_malformed(View::type_name, reason);
	return view;
}

// A kind of value to be looked up or added must be the one that is held, if any.
void require_kind(const char *type, ValueKind held, ValueKind given);

// A weight that is given must be 0 or more.
std::uint64_t checked_weight(const char *type, std::int64_t weight);

// Finds an aggregate's state in argument 0, to be changed in place: nothing else in
// an aggregate may be. What can't be, copy(value, view of it) copies first. False
// where there is no state yet, or a sketch without parameters.
template <class View, class State, class Copy>
bool find_state(FunctionCallInfo fcinfo, State &state, Copy copy)
{
	if (PG_ARGISNULL(0))
		return false;
	if (State::open(state_image(fcinfo), state))
		return true;
	const varlena *value = image_argument(fcinfo, 0);
	const View view = open_or_raise<View>(value);
	if (view.is_parameterless())
		return false;
	state = copy(value, view);
	return true;
}

// The shortest text that reads back as the same number.
const char *shortest(double number);

// A row as the result of a function that is declared with OUT columns.
Datum row_result(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

// A kind's name in the current memory context, such as `integer` or `text[]`.
const char *kind_name(ValueKind kind);

}  // namespace bloomsketch
