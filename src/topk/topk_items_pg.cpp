// topk_items: the result as rows.
#include "topk/topk_pg.hpp"

#include "topk/ranking.hpp"

namespace bloomsketch::topk {
namespace {

std::size_t checked_limit(std::int32_t limit)
{
	if (limit < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("limit %d is negative", limit),
		        errhint("Leave it out for as many rows as the sketch was built for."));
	return static_cast<std::size_t>(limit);
}

void put_row(const ReturnSetInfo *result, std::size_t rank, const Counter &row, bool is_guaranteed)
{
	Datum values[] = {
		Int32GetDatum(static_cast<int32>(rank)),
		text_value(row.text),
		Int64GetDatum(static_cast<int64>(row.count)),
		Int64GetDatum(static_cast<int64>(row.error)),
		BoolGetDatum(is_guaranteed),
	};
	bool nulls[std::size(values)] = {};
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	pfree(DatumGetPointer(values[1]));
}

}  // namespace

extern "C" {

PG_FUNCTION_INFO_V1(topk_items);

// topk_items(sketch [, limit])
Datum topk_items(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	const Sketch sketch = SketchArgument(fcinfo, 0).sketch;
	const std::size_t limit = PG_NARGS() > 1 ? checked_limit(PG_GETARG_INT32(1)) : sketch.k();
	Ranking ranking;
	if (const Malformed reason = rank(sketch, limit, ranking, allocate); reason != Malformed::no)
		raise_malformed(Sketch::type_name, reason);
	const auto *result = reinterpret_cast<const ReturnSetInfo *>(fcinfo->resultinfo);
	std::size_t number = 0;
	for (const Counter &row : ranking.rows()) {
		CHECK_FOR_INTERRUPTS();
		put_row(result, ++number, row, ranking.is_guaranteed(row));
	}
	return Datum{0};
}

}  // extern "C"
}  // namespace bloomsketch::topk
