// The SQL functions of type topk, but for those behind aggregates (topk_agg_pg.cpp)
// and topk_items (topk_items_pg.cpp).
#include "topk/topk_pg.hpp"

#include "common/kept_pg.hpp"

namespace bloomsketch::topk {
namespace {

[[noreturn]] void raise_k_mismatch(std::uint32_t held, std::uint32_t given)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("topk with k %u does not go with k %u", held, given),
	        errhint("Build all sketches that are to be united with one k; topk_items takes a limit."));
	pg_unreachable();
}

[[noreturn]] void raise_text_too_long(std::size_t length)
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
	        errmsg("value of %zu bytes is too long for a topk", length),
	        errdetail("It holds the values themselves, as text of at most %zu bytes each.", longest_text),
	        errhint("Count a shorter form that tells them apart, for example left(value, 1000) or md5(value)."));
	pg_unreachable();
}

[[noreturn]] void raise_texts_too_large()
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("values of a topk take more than 64 MB"),
	        errdetail("It holds the values themselves, as text, for each of its counters."),
	        errhint("Choose a smaller k, or count a shorter form, for example left(value, 100) or md5(value)."));
	pg_unreachable();
}

void require_same(const Sketch &a, const Sketch &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::k: raise_k_mismatch(a.k(), b.k());
	case Mismatch::seed: raise_seed_mismatch(Sketch::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Sketch::type_name, a.kind(), b.kind());
	}
}

[[noreturn]] void raise_no_parameters()
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("topk has no k yet"),
	        errhint("Begin with topk_empty(k)."));
	pg_unreachable();
}

bool has_valid_texts(const Sketch &sketch)
{
	bool is_valid = true;
	sketch.each_counter([&](const Counter &counter) { is_valid = is_valid && is_valid_text(counter.text); });
	return is_valid;
}

varlena *accept_image(const varlena *value, Malformed &reason)
{
	Sketch sketch;
	reason = Sketch::open(image_of(value), sketch);
	if (reason == Malformed::no)
		reason = sketch.check();
	if (reason == Malformed::no && !has_valid_texts(sketch))
		reason = Malformed::bad_text;
	return reason == Malformed::no ? duplicate(value) : nullptr;
}

}  // namespace

void require_k(std::int64_t k)
{
	if (!is_valid_k(k))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("k %lld is out of range", static_cast<long long>(k)),
		        errhint("A topk's k is from 1 to %lld.", static_cast<long long>(largest_k)));
}

void raise_unchanged(Change change, Bytes text)
{
	switch (change) {
	case Change::total_out_of_range: raise_total_out_of_range(Sketch::type_name);
	case Change::text_too_long: raise_text_too_long(text.size());
	case Change::texts_too_large: raise_texts_too_large();
	case Change::damaged: raise_malformed(Sketch::type_name, Malformed::bad_entry);
	case Change::done:
	case Change::no_room: break;
	}
	elog(ERROR, "topk was not changed");
	pg_unreachable();
}

const varlena *at_rest(const varlena *value)
{
	const Bytes given = image_of(value), image = at_rest(given, allocate);
	return image.data() == given.data() ? value : value_of({const_cast<std::uint8_t *>(image.data()), image.size()});
}

State copy_of(const Sketch &sketch)
{
	State state;
	require_done(copy(sketch, state, allocate));
	return state;
}

varlena *stored(const State &state)
{
	return value_of(store(state, allocate));
}

Datum united(const SketchArgument &a, const SketchArgument &b)
{
	if (a.sketch.is_parameterless())
		return b.datum;
	if (b.sketch.is_parameterless())
		return a.datum;
	require_same(a.sketch, b.sketch);
	MutableBytes image;
	require_done(unite(a.sketch, b.sketch, image, allocate));
	return PointerGetDatum(value_of(image));
}

varlena *parameterless()
{
	varlena *value = new_image(parameterless_size);
	store_parameterless(image_of(value).data());
	return value;
}

extern "C" {

PG_FUNCTION_INFO_V1(topk_in);
PG_FUNCTION_INFO_V1(topk_out);
PG_FUNCTION_INFO_V1(topk_recv);
PG_FUNCTION_INFO_V1(topk_send);
PG_FUNCTION_INFO_V1(topk_from_bytea);
PG_FUNCTION_INFO_V1(topk_empty);
PG_FUNCTION_INFO_V1(topk_add);
PG_FUNCTION_INFO_V1(topk_union);
PG_FUNCTION_INFO_V1(topk_count);
PG_FUNCTION_INFO_V1(topk_info);

Datum topk_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Sketch::type_name, accept_image);
}

Datum topk_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(hex_text(image_of(at_rest(image_argument(fcinfo, 0)))));
}

Datum topk_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Sketch::type_name, accept_image);
}

// topk_send(sketch) -> bytea: the cast, too.
Datum topk_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(at_rest(image_argument(fcinfo, 0)));
}

Datum topk_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Sketch::type_name, accept_image);
}

// topk_empty(k, seed)
Datum topk_empty(PG_FUNCTION_ARGS)
{
	const int k = PG_GETARG_INT32(0);
	require_k(k);
	PG_RETURN_POINTER(stored(create({static_cast<std::uint32_t>(k), PG_GETARG_INT64(1)}, allocate)));
}

// topk_add(sketch, value [, weight]): the sketch itself where that changes nothing.
Datum topk_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const SketchArgument given(fcinfo, 0);
	if (PG_ARGISNULL(1) || (PG_NARGS() > 2 && PG_ARGISNULL(2)))
		PG_RETURN_DATUM(given.datum);
	if (given.sketch.is_parameterless())
		raise_no_parameters();
	auto &written = kept_for_written_argument<WrittenSource>(fcinfo, 1);
	const ValueSource &source = written.source;
	require_kind(Sketch::type_name, given.sketch.kind(), source.kind);
	const std::uint64_t weight = PG_NARGS() > 2 ? checked_weight(Sketch::type_name, PG_GETARG_INT64(2)) : 1;
	if (weight == 0)
		PG_RETURN_DATUM(given.datum);
	const Datum value = PG_GETARG_DATUM(1);
	ImageBuffer buffer;
	const Bytes text = render(written, value, buffer);
	State state = copy_of(given.sketch);
	const Hash64 hash = hash_value(source, value, given.sketch.seed());
	require_done(add(state, source.kind, hash, weight, text, allocate), text);
	PG_RETURN_POINTER(stored(state));
}

Datum topk_union(PG_FUNCTION_ARGS)
{
	return united(SketchArgument(fcinfo, 0), SketchArgument(fcinfo, 1));
}

// topk_count(sketch, value): never under the truth.
Datum topk_count(PG_FUNCTION_ARGS)
{
	const ValueSource &source = source_for_argument(fcinfo, 1);
	const Sketch sketch = open_or_raise<Sketch>(at_rest(kept_argument(fcinfo, 0)));
	require_kind(Sketch::type_name, sketch.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), sketch.seed());
	PG_RETURN_INT64(static_cast<int64>(sketch.count(hash)));
}

Datum topk_info(PG_FUNCTION_ARGS)
{
	const Sketch sketch = SketchArgument(fcinfo, 0).sketch;
	const bool is_parameterless = sketch.is_parameterless();
	Datum values[] = {
		Int32GetDatum(static_cast<int32>(sketch.k())),
		Int32GetDatum(static_cast<int32>(sketch.capacity())),
		Int32GetDatum(static_cast<int32>(sketch.used())),
		Int64GetDatum(static_cast<int64>(sketch.total())),
		Int64GetDatum(static_cast<int64>(sketch.minimum())),
		Int64GetDatum(static_cast<int64>(VARHDRSZ + sketch.size())),
		CStringGetTextDatum(kind_name(sketch.kind())),
		Int64GetDatum(sketch.seed()),
	};
	bool nulls[] = {is_parameterless, is_parameterless, false, false, false, false, sketch.kind().is_none(), is_parameterless};
	return row_result(fcinfo, values, nulls);
}

}  // extern "C"
}  // namespace bloomsketch::topk
