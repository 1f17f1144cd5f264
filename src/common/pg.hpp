// The one door to PostgreSQL's headers; every difference between server
// versions is settled here. Only *_pg.cpp and *_pg.hpp include it. Standard
// headers come first, since port.h redefines names such as snprintf.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <span>

#include <sys/socket.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wpedantic"

extern "C" {
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "access/xact.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/bytea.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/inet.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/pg_lsn.h"
#include "utils/rangetypes.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"
#include "utils/varbit.h"

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif
}

#pragma GCC diagnostic pop

// Input functions report malformed input through errsave() where the server
// has it (16), so that pg_input_is_valid() can answer.
#if PG_VERSION_NUM >= 160000
#define bloomsketch_report(fcinfo, ...) errsave((fcinfo)->context, __VA_ARGS__)
#else
#define bloomsketch_report(fcinfo, ...) ereport(ERROR, __VA_ARGS__)
#endif

// The magic block carries name and version where it can (18).
#if PG_VERSION_NUM >= 180000
#define BLOOMSKETCH_MAGIC PG_MODULE_MAGIC_EXT(.name = "bloomsketch", .version = BLOOMSKETCH_VERSION)
#else
#define BLOOMSKETCH_MAGIC PG_MODULE_MAGIC
#endif

namespace bloomsketch {

// PG_DETOAST_DATUM_PACKED, without its call for a value that lies in line: most
// do, and step functions run for every row.
inline const varlena *detoast_packed(Datum value)
{
	auto *data = reinterpret_cast<varlena *>(DatumGetPointer(value));
	return VARATT_IS_EXTERNAL(data) || VARATT_IS_COMPRESSED(data) ? pg_detoast_datum_packed(data) : data;
}

}  // namespace bloomsketch
