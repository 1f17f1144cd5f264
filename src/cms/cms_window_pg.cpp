// cms_union over window frames that move: sketches are linear, so a day that
// enters the frame is added and one that leaves it is taken away again, instead
// of adding up the whole frame for every row. What comes out is, to the byte,
// what adding up gives.
#include "cms/cms_pg.hpp"

namespace bloomsketch::cms {
namespace {

// The state of a moving frame. It stays within one backend, so it is a struct and
// no image.
struct Frame {
	MemoryContext memory;
	std::int64_t sketches;         // in the frame, NULL aside
	std::int64_t with_parameters;  // of these
	varlena *sum;                  // dense or sparse, while there is one with parameters
};

// Keeps a state in the frame's memory instead of what was there.
void keep(Frame &frame, const State &state)
{
	varlena *made = value_of(state.image());
	if (made == frame.sum)
		return;
	auto *kept = static_cast<varlena *>(MemoryContextAlloc(frame.memory, VARSIZE(made)));
	std::memcpy(kept, made, VARSIZE(made));
	if (frame.sum != nullptr)
		pfree(frame.sum);
	frame.sum = kept;
	pfree(made);
}

State open_sum(const Frame &frame)
{
	State state;
	State::open(image_of(frame.sum), state);
	return state;
}

void enter(Frame &frame, const Sketch &sketch)
{
	++frame.sketches;
	if (sketch.is_parameterless())
		return;
	State state;
	if (frame.sum == nullptr) {
		require_done(copy(sketch, state, allocate));
		if (!state.is_sparse())
			require_done(make_dense(state, allocate));
	} else {
		state = open_sum(frame);
		require_same(state.read(), sketch);
		require_done(merge(state, sketch, allocate));
	}
	keep(frame, state);
	++frame.with_parameters;
}

// False where this can't have entered: arguments are evaluated again when a row
// leaves, and a function that is not what it was declared may give another sketch.
bool leave(Frame &frame, const Sketch &sketch)
{
	if (sketch.is_parameterless()) {
		--frame.sketches;
		return frame.sketches >= frame.with_parameters;
	}
	if (frame.sum == nullptr)
		return false;
	State state = open_sum(frame);
	if (compare(state.read(), sketch) != Mismatch::none || !subtract(state, sketch, allocate))
		return false;
	keep(frame, state);
	--frame.sketches;
	if (--frame.with_parameters == 0) {
		pfree(frame.sum);
		frame.sum = nullptr;
	}
	return true;
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(cms_frame_step);
PG_FUNCTION_INFO_V1(cms_frame_inverse);
PG_FUNCTION_INFO_V1(cms_frame_final);

// cms_frame_step(frame, cms)
Datum cms_frame_step(PG_FUNCTION_ARGS)
{
	MemoryContext memory = frame_memory(fcinfo, "cms_frame_step");
	auto *frame = frame_argument<Frame>(fcinfo);
	if (frame == nullptr) {
		frame = static_cast<Frame *>(MemoryContextAllocZero(memory, sizeof(Frame)));
		frame->memory = memory;
	}
	if (!PG_ARGISNULL(1))
		enter(*frame, open_or_raise<Sketch>(image_argument(fcinfo, 1)));
	PG_RETURN_POINTER(frame);
}

// cms_frame_inverse(frame, cms): undoes the step that added it. NULL where that
// can't be done, upon which the frame is added up anew.
Datum cms_frame_inverse(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "cms_frame_inverse");
	auto *frame = frame_argument<Frame>(fcinfo);
	if (!PG_ARGISNULL(1) && !leave(*frame, open_or_raise<Sketch>(image_argument(fcinfo, 1))))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(frame);
}

Datum cms_frame_final(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "cms_frame_final");
	const auto *frame = frame_argument<Frame>(fcinfo);
	if (frame == nullptr || frame->sketches == 0)
		PG_RETURN_NULL();
	if (frame->sum == nullptr)
		PG_RETURN_POINTER(parameterless());
	PG_RETURN_POINTER(stored(open_or_raise<Sketch>(frame->sum)));
}

}  // extern "C"
}  // namespace bloomsketch::cms
