# The unit tests: the pure headers alone, with no PostgreSQL include path, so
# that a PostgreSQL header in one of them breaks the build.
#
#   make unit             every header on its own, then the tests
#   make unit-sanitized   the same tests under ASan and UBSan
#   make unit UNIT_FLAGS=--gtest_filter='Entry*'
#
# scripts/portability.sh sets these for another processor: where to build, what
# compiles, where xxhash.h and the sources of GoogleTest are, what runs it.

UNIT_BUILD = build/unit
UNIT_CXX = g++
UNIT_XXHASH =
UNIT_GTEST =
UNIT_RUN =

# As in the module, no contraction: sizes of filters are file format.
UNIT_CXXFLAGS = -std=c++20 -O2 -g1 -ffp-contract=off -Wall -Wextra -Isrc $(UNIT_XXHASH:%=-isystem %) $(UNIT_GTEST:%=-isystem %/include)
UNIT_LIBRARIES = $(if $(UNIT_GTEST),$(UNIT_BUILD)/gtest-all.o $(UNIT_BUILD)/gtest_main.o -static,-lgtest -lgtest_main) -lpthread
# Less optimized, as compiling with sanitizers takes half as long so.
UNIT_SANITIZE = -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS

# What the module is built with, for headers that have to do without.
MODULE_DIALECT = -fno-exceptions -fno-rtti

UNIT_SOURCES = $(sort $(wildcard test/unit/*_test.cpp))
PURE_HEADERS = $(sort $(filter-out %_pg.hpp %/pg.hpp,$(wildcard src/*/*.hpp)))
UNIT_OBJECTS = $(UNIT_SOURCES:test/unit/%.cpp=$(UNIT_BUILD)/%.o)
SANITIZED_OBJECTS = $(UNIT_SOURCES:test/unit/%.cpp=build/unit-sanitized/%.o)
ALONE = $(PURE_HEADERS:src/%.hpp=$(UNIT_BUILD)/alone/%.o)

.PHONY: unit unit-sanitized
unit: $(ALONE) $(UNIT_BUILD)/tests
	$(UNIT_RUN) $(UNIT_BUILD)/tests --gtest_brief=1 $(UNIT_FLAGS)
unit-sanitized: build/unit-sanitized/tests
	build/unit-sanitized/tests --gtest_brief=1 $(UNIT_FLAGS)

# Each header compiles first and alone.
$(UNIT_BUILD)/alone/%.o: src/%.hpp
	@mkdir -p $(@D)
	echo '#include "$*.hpp"' | $(UNIT_CXX) $(UNIT_CXXFLAGS) $(MODULE_DIALECT) -MMD -MP -MF $(@:.o=.d) -MT $@ -x c++ -c - -o $@

$(UNIT_BUILD)/%.o: test/unit/%.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) -MMD -MP -c $< -o $@
build/unit-sanitized/%.o: test/unit/%.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) $(UNIT_SANITIZE) -MMD -MP -c $< -o $@

$(UNIT_BUILD)/gtest%.o: $(UNIT_GTEST)/src/gtest%.cc
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) -I$(UNIT_GTEST) -c $< -o $@
$(UNIT_BUILD)/tests: $(UNIT_OBJECTS) $(filter %.o,$(UNIT_LIBRARIES))
	$(UNIT_CXX) $(UNIT_OBJECTS) -o $@ $(UNIT_LIBRARIES)
build/unit-sanitized/tests: $(SANITIZED_OBJECTS)
	$(UNIT_CXX) $(UNIT_SANITIZE) $^ -o $@ -lgtest -lgtest_main -lpthread

-include $(UNIT_OBJECTS:.o=.d) $(SANITIZED_OBJECTS:.o=.d) $(ALONE:.o=.d)
