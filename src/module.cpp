#include "common/pg.hpp"

extern "C" {
PG_MODULE_MAGIC;
}
