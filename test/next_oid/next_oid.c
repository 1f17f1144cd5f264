/*
 * Sets the number that the server gives out next, so that a test can have a
 * stored value's toast id given out again, which else takes four billion of them.
 * next_oid.sql declares it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lwlock.h"

PG_MODULE_MAGIC;

#if PG_VERSION_NUM >= 170000
#define counters TransamVariables
#else
#define counters ShmemVariableCache
#endif

PG_FUNCTION_INFO_V1(set_next_oid);
Datum set_next_oid(PG_FUNCTION_ARGS)
{
	const Oid next = PG_GETARG_OID(0);
	if (!superuser())
		elog(ERROR, "only a superuser may set the next OID");
	if (next < FirstNormalObjectId)
		elog(ERROR, "%u is an OID of the system's own", next);
	LWLockAcquire(OidGenLock, LW_EXCLUSIVE);
	counters->nextOid = next;
	counters->oidCount = 0; /* so that the next one is logged, with some more */
	LWLockRelease(OidGenLock);
	PG_RETURN_VOID();
}
