#include "common/pg.hpp"

extern "C" {
BLOOMSKETCH_MAGIC;
}
