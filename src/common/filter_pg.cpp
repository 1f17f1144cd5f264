// What the filters' SQL functions share: parameters, errors, the warning.
#include "common/filter_pg.hpp"

namespace bloomsketch {

void require_unchanged(const Asked &held, const Asked &asked)
{
	if (held == asked)
		return;
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("capacity, false positive rate or seed changes within a group"),
	        errdetail("They were %lld, %s and %lld, and are %lld, %s and %lld.", static_cast<long long>(held.capacity),
	                  shortest(held.rate), static_cast<long long>(held.seed), static_cast<long long>(asked.capacity),
	                  shortest(asked.rate), static_cast<long long>(asked.seed)));
}

void raise_size_mismatch(const char *filter, const Asked &held, const Asked &given, const char *detail)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	        errmsg("%s for %lld values at %s does not go with one for %lld values at %s", filter,
	               static_cast<long long>(held.capacity), shortest(held.rate), static_cast<long long>(given.capacity),
	               shortest(given.rate)),
	        detail != nullptr ? errdetail_internal("%s", detail) : 0,
	        errhint("Build all filters that are to be united with one capacity and one false positive rate."));
	pg_unreachable();
}

void raise_too_large(const char *filter, const Asked &asked, const char *verb)
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
	        errmsg("%s for %lld values at a false positive rate of %s %s larger than 1 GB", filter,
	               static_cast<long long>(asked.capacity), shortest(asked.rate), verb),
	        errhint("Choose a smaller capacity or a higher rate, or keep one filter for each part of the values."));
	pg_unreachable();
}

void raise_no_parameters(const char *type_name, const char *filter)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has no capacity and no rate yet", filter),
	        errhint("Begin with %s_empty(capacity, false_positive_rate).", type_name));
	pg_unreachable();
}

void raise_not_there(const char *type_name, const char *filter)
{
	ereport(ERROR, errcode(ERRCODE_NO_DATA_FOUND), errmsg("value is not in the %s", filter),
	        errhint("Use %s_try_remove where a value may not be there.", type_name));
	pg_unreachable();
}

void warn_of_rate(const char *filter, double rate, const Asked &made_for, std::int64_t items, bool is_counted)
{
	const auto capacity = static_cast<long long>(made_for.capacity), held = static_cast<long long>(items);
	ereport(WARNING, errmsg("%s has a false positive rate of %.3g instead of %s", filter, rate, shortest(made_for.rate)),
	        is_counted ? errdetail("It was made for %lld distinct values and holds about %lld.", capacity, held)
	                   : errdetail("It was made for %lld distinct values and holds more than %lld.", capacity, held),
	        is_counted ? errhint("Rebuild it with a capacity of at least %lld.", held)
	                   : errhint("Rebuild it with the number of distinct values as its capacity; "
	                             "approx_count_distinct estimates that."));
}

}  // namespace bloomsketch
