#include "common/interrupts.hpp"
#include "common/pg.hpp"

extern "C" {
BLOOMSKETCH_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void)
{
	bloomsketch::check_for_interrupts = [] { CHECK_FOR_INTERRUPTS(); };
}
}
