// The SQL functions of type bloom, but for aggregates (bloom_agg_pg.cpp,
// bloom_sized_pg.cpp), look-ups (bloom_contains_pg.cpp), sizes (bloom_sizing_pg.cpp)
// and what the bits say (bloom_fill_pg.cpp).
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {

const varlena *at_rest(const varlena *value)
{
	if (sizes_itself(image_of(value)))
		return layers_at_rest(value);
	const Filter filter = open_or_raise<Filter>(value);
	if (!filter.is_building())
		return value;
	varlena *rest = new_image(State::image_size(filter.parameters(), filter.blocks()));
	State::create_at_rest(image_of(rest), filter);
	return rest;
}

namespace {

State create(const Asked &asked, ValueKind kind, bool is_to_be_filled)
{
	const Sizing sizing = checked_sizing(asked.capacity, asked.rate);
	const Parameters parameters{static_cast<std::uint64_t>(asked.capacity), asked.rate, asked.seed, sizing.hashes};
	const Form form = is_to_be_filled ? State::form_for(parameters, sizing.blocks) : Form::rest;
	varlena *value = new_image(State::image_size(parameters, sizing.blocks, form));
	return State::create(image_of(value), form, parameters, kind);
}

// Bits are told only where capacity and rate are the same: an image from elsewhere may
// have another size for them.
[[noreturn]] void raise_size_mismatch(const Filter &held, const Filter &given)
{
	const Asked first = asked_for(held.parameters()), second = asked_for(given.parameters());
	const char *detail = nullptr;
	if (first.capacity == second.capacity && first.rate == second.rate)
		detail = psprintf("They have %llu and %llu bits, and %d and %d hashes for a value.",
		                  static_cast<unsigned long long>(held.bits()), static_cast<unsigned long long>(given.bits()),
		                  held.parameters().hashes, given.parameters().hashes);
	bloomsketch::raise_size_mismatch("bloom filter", first, second, detail);
}

void require_same(const Filter &a, const Filter &b)
{
	switch (compare(a, b)) {
	case Mismatch::none: return;
	case Mismatch::size: raise_size_mismatch(a, b);
	case Mismatch::seed: raise_seed_mismatch(Filter::type_name, a.seed(), b.seed());
	case Mismatch::kind: raise_kind_mismatch(Filter::type_name, a.kind(), b.kind());
	}
}

varlena *accept_layers(const varlena *value, Malformed &reason)
{
	Bytes image;
	reason = accept(image_of(value), image, checked_sizing, allocate);
	if (reason != Malformed::no)
		return nullptr;
	if (image.empty())
		return parameterless();
	varlena *accepted = new_image(image.size());
	std::memcpy(image_of(accepted).data(), image.data(), image.size());
	return accepted;
}

varlena *accept_filter(const varlena *value, Malformed &reason)
{
	if (sizes_itself(image_of(value)))
		return accept_layers(value, reason);
	Filter filter;
	reason = Filter::open(image_of(value), filter);
	if (reason == Malformed::no)
		reason = filter.check();
	if (reason != Malformed::no)
		return nullptr;
	return duplicate(at_rest(value));
}

}  // namespace

State create_to_fill(const Asked &asked, ValueKind kind)
{
	return create(asked, kind, true);
}

State create_at_rest(const Asked &asked)
{
	return create(asked, {}, false);
}

State copy_of(const varlena *value)
{
	State state;
	if (!State::open(image_of(duplicate(value)), state))
		elog(ERROR, "bloom filter was not opened");
	return state;
}

bool is_parameterless(const varlena *value)
{
	return !sizes_itself(image_of(value)) && open_or_raise<Filter>(value).is_parameterless();
}

void raise_fixed_and_layered(const varlena *a, const varlena *b)
{
	const bool first_is_fixed = !sizes_itself(image_of(a));
	const Parameters fixed = open_or_raise<Filter>(first_is_fixed ? a : b).parameters();
	TargetHead layered;
	if (const Malformed reason = layered.read(image_of(first_is_fixed ? b : a)); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("bloom filter for %lld values at %s does not go with one in layers at %s",
	               static_cast<long long>(fixed.capacity), shortest(fixed.rate), shortest(layered.target)),
	        errdetail("The one was built with a capacity, the other one sized itself and grows."),
	        errhint("Build all filters that are to be united with one capacity and one false positive rate: "
	                "bloom_agg(value, %lld, %s).",
	                static_cast<long long>(fixed.capacity), shortest(fixed.rate)));
	pg_unreachable();
}

varlena *parameterless()
{
	const Header header{SketchKind::bloom, 0, {}, 0};
	varlena *value = new_image(header.size());
	header.write(image_of(value).data());
	return value;
}

void unite(State &state, const Filter &filter)
{
	require_same(state.read(), filter);
	state.begin_merge(filter);
	for (std::size_t at = 0; at < filter.body().size(); at += chunk_bytes) {
		CHECK_FOR_INTERRUPTS();
		state.merge(filter, at, std::min(at + chunk_bytes, filter.body().size()));
	}
}

namespace {

// bloom_add() for a filter in layers, which grows by one where it has no room.
Datum added_to_layers(FunctionCallInfo fcinfo, const varlena *value, Datum unchanged)
{
	const Layered filter = open_or_raise<Layered>(value);
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), filter.seed());
	if (filter.contains(hash))
		PG_RETURN_DATUM(unchanged);
	const varlena *added = value_of(with_value(image_of(duplicate(value)), hash));
	warn_if_overfull(added);
	PG_RETURN_POINTER(added);
}

// The union of two filters at rest that have parameters.
const varlena *unite_at_rest(const varlena *first, const varlena *second)
{
	if (sizes_itself(image_of(first)) != sizes_itself(image_of(second)))
		raise_fixed_and_layered(first, second);
	if (sizes_itself(image_of(first)))
		return unite_layers(first, second);
	State state = copy_of(first);
	unite(state, open_or_raise<Filter>(second));
	return value_of(state.image());
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(bloom_in);
PG_FUNCTION_INFO_V1(bloom_recv);
PG_FUNCTION_INFO_V1(bloom_from_bytea);
PG_FUNCTION_INFO_V1(bloom_empty);
PG_FUNCTION_INFO_V1(bloom_add);
PG_FUNCTION_INFO_V1(bloom_union);

Datum bloom_in(PG_FUNCTION_ARGS)
{
	return sketch_in(fcinfo, Filter::type_name, accept_filter);
}

Datum bloom_recv(PG_FUNCTION_ARGS)
{
	return sketch_recv(fcinfo, Filter::type_name, accept_filter);
}

Datum bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return sketch_from_bytea(fcinfo, Filter::type_name, accept_filter);
}

Datum bloom_empty(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(value_of(create_at_rest({PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2)}).image()));
}

// bloom_add(filter, value): the filter itself where the value changes nothing.
Datum bloom_add(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const varlena *given = image_argument(fcinfo, 0);
	const varlena *value = at_rest(given);
	const Datum unchanged = value == given ? PG_GETARG_DATUM(0) : PointerGetDatum(value);
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(unchanged);
	if (sizes_itself(image_of(value)))
		return added_to_layers(fcinfo, value, unchanged);
	const Filter filter = open_or_raise<Filter>(value);
	if (filter.is_parameterless())
		raise_no_parameters(Filter::type_name, "bloom filter");
	const ValueSource &source = source_for_argument(fcinfo, 1);
	require_kind(Filter::type_name, filter.kind(), source.kind);
	const Hash64 hash = hash_value(source, PG_GETARG_DATUM(1), filter.seed());
	if (filter.contains(hash))
		PG_RETURN_DATUM(unchanged);
	State state = copy_of(value);
	state.set_kind(source.kind);
	state.add(hash);
	warn_if_overfull(value_of(state.image()));
	PG_RETURN_POINTER(value_of(state.image()));
}

Datum bloom_union(PG_FUNCTION_ARGS)
{
	const varlena *first = at_rest(image_argument(fcinfo, 0));
	const varlena *second = at_rest(image_argument(fcinfo, 1));
	if (is_parameterless(first))
		PG_RETURN_POINTER(second);
	if (is_parameterless(second))
		PG_RETURN_POINTER(first);
	const varlena *united = unite_at_rest(first, second);
	warn_if_overfull(united);
	PG_RETURN_POINTER(united);
}

}  // extern "C"
}  // namespace bloomsketch::bloom
