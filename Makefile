# bloomsketch: a PGXS build.
#
#   make && sudo make install    build and install for the pg_config found
#   make demo                    see it work on a throw-away server
#   make test                    build and run every test on throw-away servers
#   make matrix                  run them on the other PostgreSQL majors
#   make assertions              run them on a server built with assertions
#   make portability             the pure headers on other processors
#   make package                 a Debian package, tried in a clean root
#   make unit, make fuzz         the pure headers alone, without PostgreSQL
#   make accuracy                measure the estimators' errors into docs/

SKETCHES = hll bloom counting_bloom cuckoo cms topk

EXTENSION = bloomsketch
EXTENSION_VERSION := $(shell sed -n "s/^default_version = '\(.*\)'/\1/p" bloomsketch.control)
MODULE_big = bloomsketch
SOURCES = src/module.cpp $(wildcard src/common/*.cpp) $(foreach s,$(SKETCHES),$(wildcard src/$(s)/*.cpp))
OBJS = $(SOURCES:.cpp=.o)
DATA_built = bloomsketch--$(EXTENSION_VERSION).sql
EXTRA_CLEAN = $(SOURCES:.cpp=.d) build tmp_check

# The pure headers hold loops that vectorise at -O3. Nothing throws and nothing
# needs unwinding (docs/DESIGN.md), so libstdc++ is not linked. Calls within the
# module stay there, whatever another extension names its functions. Filters are
# sized in floating point, to the block alike on all processors: that forbids to
# contract a * b + c into one rounding where a processor could.
PG_CPPFLAGS = -Isrc -DBLOOMSKETCH_VERSION='"$(EXTENSION_VERSION)"'
PG_CXXFLAGS = -std=c++20 -O3 -Wall -Wextra -Wno-register -fno-exceptions -fno-rtti \
	-fno-threadsafe-statics -ffp-contract=off -MMD -MP
SHLIB_LINK = -lm -Wl,-Bsymbolic-functions

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=bloomsketch
TAP_TESTS = 1
PROVE_TESTS ?= $(sort $(wildcard test/tap/*.pl))
# Overrides, because PGXS resets it.
override PROVE_FLAGS += -I test/tap

PG_CONFIG = pg_config

ifneq ($(filter-out demo test matrix portability assertions package unit unit-sanitized fuzz fuzz-replay accuracy,$(or $(MAKECMDGOALS),all)),)
PGXS := $(shell $(PG_CONFIG) --pgxs)
# Bitcode would only let the JIT inline small functions, at a cost of tens of
# milliseconds a query.
override with_llvm := no
include $(PGXS)
endif

-include $(SOURCES:.cpp=.d)

# The fragments in the order of their types; lines between --{ and --} stand
# once for each type of value that has an overload of its own.
FRAGMENTS = src/common/common.sql $(foreach s,$(SKETCHES),src/$(s)/$(s).sql)

bloomsketch--$(EXTENSION_VERSION).sql: src/common/expand.awk $(FRAGMENTS) $(addprefix src/common/,type.sql comparisons.sql casts.sql)
	awk -f $< $(FRAGMENTS) > $@.tmp && mv $@.tmp $@

include test/unit/unit.mk
include test/fuzz/fuzz.mk
include test/bench/bench.mk

.PHONY: demo test matrix portability assertions package
demo test matrix portability assertions package:
	@scripts/$@.sh
