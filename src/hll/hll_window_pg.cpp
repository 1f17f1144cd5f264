// hll_union over window frames that move (frame.hpp).
#include "hll/frame.hpp"
#include "hll/hll_pg.hpp"

namespace bloomsketch::hll {
namespace {

// Rows' images are made in the current context, which a row ends with.
struct WindowMemory {
	MemoryContext context;

	void *take(std::size_t size) const { return MemoryContextAlloc(context, size); }
	void give_back(void *address) const { pfree(address); }
	MutableBytes allocate(std::size_t size) const { return bloomsketch::allocate(size); }
};

// Where one frame has been too large, the next ones of the window are not tried: the
// executor begins a new one for each row then.
bool &was_too_large(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra == nullptr)
		fcinfo->flinfo->fn_extra = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(bool));
	return *static_cast<bool *>(fcinfo->flinfo->fn_extra);
}

using WindowFrame = Frame<WindowMemory>;
static_assert(std::is_trivially_destructible_v<WindowFrame>);

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(hll_frame_step);
PG_FUNCTION_INFO_V1(hll_frame_inverse);
PG_FUNCTION_INFO_V1(hll_frame_final);

// hll_frame_step(frame, hll)
Datum hll_frame_step(PG_FUNCTION_ARGS)
{
	const WindowMemory memory{frame_memory(fcinfo, "hll_frame_step")};
	bool &too_large = was_too_large(fcinfo);
	auto *frame = frame_argument<WindowFrame>(fcinfo);
	if (frame == nullptr)
		frame = new (memory.take(sizeof(WindowFrame))) WindowFrame(memory, too_large ? 0 : get_hash_memory_limit());
	Bytes image;
	if (!PG_ARGISNULL(1)) {
		const Sketch sketch = open_or_raise<Sketch>(image_argument(fcinfo, 1));
		require_same(frame->front(), sketch);
		require_same(frame->back(), sketch);
		image = sketch.image();
	}
	require_well_formed(frame->enter(image));
	too_large = !frame->has_stacks();
	PG_RETURN_POINTER(frame);
}

// hll_frame_inverse(frame, hll): the oldest sketch leaves. NULL upon which the frame
// is built anew.
Datum hll_frame_inverse(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "hll_frame_inverse");
	auto *frame = frame_argument<WindowFrame>(fcinfo);
	if (!frame->leave())
		PG_RETURN_NULL();
	PG_RETURN_POINTER(frame);
}

Datum hll_frame_final(PG_FUNCTION_ARGS)
{
	frame_memory(fcinfo, "hll_frame_final");
	const auto *frame = frame_argument<WindowFrame>(fcinfo);
	const Bytes sum = frame != nullptr ? frame->result() : MutableBytes();
	Sketch sketch;
	if (sum.empty())
		PG_RETURN_NULL();
	require_well_formed(Sketch::open(sum, sketch));
	PG_RETURN_POINTER(stored(sketch));
}

}  // extern "C"
}  // namespace bloomsketch::hll
