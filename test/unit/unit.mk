# The unit tests: the pure headers alone, with no PostgreSQL include path, so
# that a PostgreSQL header in one of them breaks the build.
#
#   make unit             every header on its own, then the tests
#   make unit-sanitized   the same tests under ASan and UBSan
#   make unit UNIT_FLAGS=--gtest_filter='Entry*'

UNIT_CXX = g++
UNIT_CXXFLAGS = -std=c++20 -O2 -g -Wall -Wextra -Isrc
UNIT_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS

# What the module is built with, for headers that have to do without.
MODULE_DIALECT = -fno-exceptions -fno-rtti

UNIT_SOURCES = $(sort $(wildcard test/unit/*_test.cpp))
PURE_HEADERS = $(sort $(filter-out %_pg.hpp %/pg.hpp,$(wildcard src/*/*.hpp)))
UNIT_OBJECTS = $(UNIT_SOURCES:test/unit/%.cpp=build/unit/%.o)
SANITIZED_OBJECTS = $(UNIT_SOURCES:test/unit/%.cpp=build/unit-sanitized/%.o)
ALONE = $(PURE_HEADERS:src/%.hpp=build/unit/alone/%.o)

.PHONY: unit unit-sanitized
unit: $(ALONE) build/unit/tests
	build/unit/tests --gtest_brief=1 $(UNIT_FLAGS)
unit-sanitized: build/unit-sanitized/tests
	build/unit-sanitized/tests --gtest_brief=1 $(UNIT_FLAGS)

# Each header compiles first and alone.
build/unit/alone/%.o: src/%.hpp
	@mkdir -p $(@D)
	echo '#include "$*.hpp"' | $(UNIT_CXX) $(UNIT_CXXFLAGS) $(MODULE_DIALECT) -MMD -MP -MF $(@:.o=.d) -MT $@ -x c++ -c - -o $@

build/unit/%.o: test/unit/%.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) -MMD -MP -c $< -o $@
build/unit-sanitized/%.o: test/unit/%.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) $(UNIT_SANITIZE) -MMD -MP -c $< -o $@

build/unit/tests: $(UNIT_OBJECTS)
	$(UNIT_CXX) $^ -o $@ -lgtest -lgtest_main -lpthread
build/unit-sanitized/tests: $(SANITIZED_OBJECTS)
	$(UNIT_CXX) $(UNIT_SANITIZE) $^ -o $@ -lgtest -lgtest_main -lpthread

-include $(UNIT_OBJECTS:.o=.d) $(SANITIZED_OBJECTS:.o=.d) $(ALONE:.o=.d)
