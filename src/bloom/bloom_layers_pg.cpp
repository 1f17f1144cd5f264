// Filters in layers, and the states of aggregates that become such.
#include "bloom/bloom_pg.hpp"

namespace bloomsketch::bloom {
namespace {

constexpr const char *build_with_one_capacity =
	"Build it with one capacity: bloom_agg(value, capacity, false_positive_rate).";

void require_same(const varlena *a, const varlena *b)
{
	TargetHead held, given;
	for (const auto &[head, value] : {std::pair{&held, a}, std::pair{&given, b}})
		if (const Malformed reason = head->read(image_of(value)); reason != Malformed::no)
			raise_malformed(Filter::type_name, reason);
	if (held.header.seed != given.header.seed)
		raise_seed_mismatch(Filter::type_name, held.header.seed, given.header.seed);
	if (held.target != given.target)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		        errmsg("bloom filter in layers at %s does not go with one at %s", shortest(held.target),
		               shortest(given.target)),
		        errhint("Build all filters that are to be united with one capacity and one false positive rate: "
		                "bloom_agg(value, capacity, false_positive_rate)."));
	if (!held.header.kind.agrees_with(given.header.kind))
		raise_kind_mismatch(Filter::type_name, held.header.kind, given.header.kind);
}

// A state must open before anything else is done with it.
void require_open(const varlena *value)
{
	if (const Malformed reason = try_open(image_of(value)); reason != Malformed::no)
		raise_malformed(Filter::type_name, reason);
}

bool is_layered_at_rest(const varlena *value)
{
	return is_in_form(image_of(value), Form::layered);
}

}  // namespace

void require_grown(Growth growth)
{
	switch (growth) {
	case Growth::done: return;
	case Growth::damaged: raise_malformed(Filter::type_name, Malformed::bad_count);
	case Growth::too_many_layers:
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		        errmsg("bloom filter would have more than %zu layers", max_layers),
		        errdetail("It gets a layer when it grows beyond its capacity, and keeps all those of filters that are united."),
		        errhint("%s", build_with_one_capacity));
		break;
	case Growth::too_large:
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("bloom filter in layers would be larger than 1 GB"),
		        errdetail("Beyond its capacity it grows by a layer of twice that."), errhint("%s", build_with_one_capacity));
	}
}

const varlena *layers_at_rest(const varlena *value)
{
	require_open(value);
	if (is_layered_at_rest(value))
		return value;
	Collecting table;
	if (Collecting::open(image_of(value), table) == Malformed::no && table.values() == 0)
		return parameterless();
	const MutableBytes image = to_rest(image_of(value), checked_sizing, allocate);
	const Layered filter = open_or_raise<Layered>(value_of(image));
	std::uint64_t values = 0;
	for (std::size_t i = 0; i < filter.layers(); ++i)
		values += filter.layer(i).capacity;
	require_parameters(static_cast<std::int64_t>(values), filter.target());
	return value_of(image);
}

MutableBytes with_value(MutableBytes image, Hash64 hash)
{
	require_grown(add(image, hash, allocate));
	return image;
}

const varlena *unite_layers(const varlena *a, const varlena *b)
{
	require_same(a, b);
	const Layered first = open_or_raise<Layered>(a), second = open_or_raise<Layered>(b);
	Bytes image;
	require_grown(unite(first, second, image, allocate));
	return image.data() == first.image().data() ? a : value_of({const_cast<std::uint8_t *>(image.data()), image.size()});
}

// Two working states stay one; whatever else meets is united at rest.
const varlena *combine_layers(MutableBytes state, const varlena *added)
{
	const varlena *held = value_of(state);
	require_open(held);
	require_open(added);
	require_same(held, added);
	if (is_layered_at_rest(held) || is_layered_at_rest(added))
		return unite_layers(layers_at_rest(held), layers_at_rest(added));
	require_grown(combine(state, image_of(added), allocate));
	return value_of(state);
}

}  // namespace bloomsketch::bloom
