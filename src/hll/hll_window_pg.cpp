// hll_union over window frames that move. No value can be taken out of a union, but
// a frame is a queue: sketches leave in the order in which they entered. So it is
// kept as two stacks. What entered last is united as it comes. What is to leave next
// stands ready united with all that leaves after it; when none is left, the others
// are turned over. Each sketch is united twice and not once for each row that sees it.
#include "hll/hll_pg.hpp"

namespace bloomsketch::hll {
namespace {

// The state of a moving frame, from the oldest sketch to the newest:
//
//   first .. turned   each united with those behind it up to `turned`
//   turned .. end     as they are; `newer` is their union
//
// Where there is no sketch but NULL, that is nullptr. When this takes more memory
// than a hash table may, nothing is kept but the union of all, in `newer`.
struct Frame {
	MemoryContext memory;
	varlena **sketches;
	std::size_t first, turned, end, room;
	std::size_t bytes;  // of sketches
	varlena *newer;
	bool is_plain;
};

// Unites a sketch with a sum, which lies in this memory.
void unite_into(varlena *&sum, const varlena *more, MemoryContext memory)
{
	if (more == nullptr)
		return;
	const Sketch sketch = open_or_raise<Sketch>(more);
	State state;
	if (sum == nullptr || !State::open(image_of(sum), state)) {
		if (sketch.is_parameterless())
			keep(memory, sum, more);
		else
			keep(memory, sum, value_of(copy_of(sketch, sketch.precision()).image()));
		return;
	}
	unite(state, sketch);
	if (value_of(state.image()) != sum)
		keep(memory, sum, value_of(state.image()));
}

void set_sketch(Frame &frame, std::size_t at, const varlena *sketch)
{
	varlena *&held = frame.sketches[at];
	frame.bytes -= held != nullptr ? VARSIZE_ANY(held) : 0;
	if (sketch != nullptr) {
		keep(frame.memory, held, sketch);
	} else if (held != nullptr) {
		pfree(held);
		held = nullptr;
	}
	frame.bytes += held != nullptr ? VARSIZE_ANY(held) : 0;
}

void forget_newer(Frame &frame)
{
	if (frame.newer != nullptr)
		pfree(frame.newer);
	frame.newer = nullptr;
}

// From here on the frame is added up anew for each row.
void become_plain(Frame &frame)
{
	if (frame.first < frame.turned)
		unite_into(frame.newer, frame.sketches[frame.first], frame.memory);
	for (std::size_t i = frame.first; i < frame.end; ++i)
		set_sketch(frame, i, nullptr);
	frame.is_plain = true;
}

bool is_too_large(const Frame &frame) { return frame.bytes > get_hash_memory_limit(); }

void make_room(Frame &frame)
{
	if (frame.end < frame.room)
		return;
	const std::size_t room = std::max<std::size_t>(16, 2 * (frame.end - frame.first));
	auto **sketches = static_cast<varlena **>(MemoryContextAllocZero(frame.memory, room * sizeof(varlena *)));
	std::copy(frame.sketches + frame.first, frame.sketches + frame.end, sketches);
	if (frame.sketches != nullptr)
		pfree(frame.sketches);
	frame.sketches = sketches;
	frame.turned -= frame.first;
	frame.end -= frame.first;
	frame.first = 0;
	frame.room = room;
}

void enter(Frame &frame, const varlena *sketch)
{
	if (!frame.is_plain) {
		make_room(frame);
		set_sketch(frame, frame.end++, sketch);
	}
	// A sketch that does not go with the others may be among the older ones.
	if (sketch != nullptr && frame.first < frame.turned && frame.sketches[frame.first] != nullptr)
		require_same(open_or_raise<Sketch>(frame.sketches[frame.first]), open_or_raise<Sketch>(sketch));
	unite_into(frame.newer, sketch, frame.memory);
	if (is_too_large(frame))
		become_plain(frame);
}

// Turns the newer sketches over, all there are. False if that took too much memory.
bool turn(Frame &frame)
{
	varlena *sum = nullptr;
	for (std::size_t i = frame.end; i-- > frame.first;) {
		CHECK_FOR_INTERRUPTS();
		unite_into(sum, frame.sketches[i], CurrentMemoryContext);
		set_sketch(frame, i, sum);
		if (is_too_large(frame)) {
			become_plain(frame);
			return false;
		}
	}
	if (sum != nullptr)
		pfree(sum);
	frame.turned = frame.end;
	forget_newer(frame);
	return true;
}

// False where the frame has to be added up anew.
bool leave(Frame &frame)
{
	if (frame.is_plain || frame.first == frame.end || (frame.first == frame.turned && !turn(frame)))
		return false;
	set_sketch(frame, frame.first++, nullptr);
	return true;
}

const varlena *sketch_argument(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(1) ? nullptr : image_argument(fcinfo, 1);
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(hll_frame_step);
PG_FUNCTION_INFO_V1(hll_frame_inverse);
PG_FUNCTION_INFO_V1(hll_frame_final);

// hll_frame_step(frame, hll)
Datum hll_frame_step(PG_FUNCTION_ARGS)
{
	MemoryContext memory = frame_memory(fcinfo, "hll_frame_step");
	auto *frame = PG_ARGISNULL(0) ? nullptr : reinterpret_cast<Frame *>(PG_GETARG_POINTER(0));
	if (frame == nullptr) {
		frame = static_cast<Frame *>(MemoryContextAllocZero(memory, sizeof(Frame)));
		frame->memory = memory;
	}
	enter(*frame, sketch_argument(fcinfo));
	PG_RETURN_POINTER(frame);
}

// hll_frame_inverse(frame, hll): the oldest sketch leaves. NULL upon which the frame
// is added up anew.
Datum hll_frame_inverse(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "hll_frame_inverse");
	auto *frame = reinterpret_cast<Frame *>(PG_GETARG_POINTER(0));
	if (!leave(*frame))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(frame);
}

Datum hll_frame_final(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "hll_frame_final");
	const auto *frame = PG_ARGISNULL(0) ? nullptr : reinterpret_cast<const Frame *>(PG_GETARG_POINTER(0));
	varlena *sum = nullptr;
	if (frame != nullptr && frame->first < frame->turned)
		unite_into(sum, frame->sketches[frame->first], CurrentMemoryContext);
	if (frame != nullptr)
		unite_into(sum, frame->newer, CurrentMemoryContext);
	if (sum == nullptr)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(stored(open_or_raise<Sketch>(sum)));
}

}  // extern "C"
}  // namespace bloomsketch::hll
