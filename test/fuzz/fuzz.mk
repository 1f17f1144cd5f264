# make fuzz         libFuzzer on bytes from outside, FUZZ_SECONDS for each sketch;
#                   fails on a finding and leaves its input in build/fuzz
# make fuzz-replay  the seed corpus alone

FUZZ_CXX = clang++
FUZZ_SECONDS = 60
FUZZ_CXXFLAGS = -std=c++20 -O1 -g -Wall -Wextra -Isrc -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZERS = $(patsubst test/fuzz/%_fuzz.cpp,%,$(sort $(wildcard test/fuzz/*_fuzz.cpp)))

# No input makes the core take more than this many megabytes at once, or more
# than some milliseconds.
FUZZ_LIMITS = -malloc_limit_mb=16 -rss_limit_mb=1024 -timeout=5 -max_len=4096

.PHONY: fuzz fuzz-replay
fuzz: $(FUZZERS:%=build/fuzz/%)
	@for sketch in $(FUZZERS); do \
		mkdir -p build/fuzz/corpus/$$sketch; \
		echo "fuzzing $$sketch for $(FUZZ_SECONDS) seconds from `ls test/fuzz/corpus/$$sketch | wc -l` seeds"; \
		build/fuzz/$$sketch $(FUZZ_LIMITS) -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
			-artifact_prefix=build/fuzz/$$sketch- build/fuzz/corpus/$$sketch test/fuzz/corpus/$$sketch \
			> build/fuzz/$$sketch.log 2>&1 || { tail -50 build/fuzz/$$sketch.log; exit 1; }; \
		grep -E 'cov:' build/fuzz/$$sketch.log | tail -1; \
		grep -E 'executed_units|peak_rss' build/fuzz/$$sketch.log; \
		echo "no finding"; \
	done

fuzz-replay: $(FUZZERS:%=build/fuzz/%)
	@for sketch in $(FUZZERS); do \
		build/fuzz/$$sketch $(FUZZ_LIMITS) -runs=0 test/fuzz/corpus/$$sketch; \
	done

build/fuzz/%: test/fuzz/%_fuzz.cpp
	@mkdir -p $(@D)
	$(FUZZ_CXX) $(FUZZ_CXXFLAGS) -MMD -MP -MF $@.d $< -o $@

-include $(FUZZERS:%=build/fuzz/%.d)
