# make accuracy     measures the sketches into docs/ACCURACY.md and its plot
#                   (some minutes; ACCURACY_TRIALS=1000 for a quick look,
#                   ACCURACY_OF=bloom for one of them). The plot of hll is
#                   docs/accuracy.svg, that of hll_bounds docs/accuracy_bounds.svg.

ACCURACY_TRIALS = 10000
ACCURACY_OF = hll hll_bounds hll_overlap bloom cms topk

.PHONY: accuracy
accuracy: $(ACCURACY_OF:%=build/bench/%_accuracy)
	@failed=0; for sketch in $(ACCURACY_OF); do \
		build/bench/$${sketch}_accuracy $(ACCURACY_TRIALS) build/bench/$$sketch.tsv > build/bench/$$sketch.md || failed=1; \
		awk -v sketch=$$sketch -f test/bench/splice.awk build/bench/$$sketch.md docs/ACCURACY.md > build/bench/ACCURACY.md \
			&& cp build/bench/ACCURACY.md docs/ACCURACY.md || exit 1; \
		[ ! -f test/bench/$${sketch}_accuracy.gp ] || gnuplot test/bench/$${sketch}_accuracy.gp > docs/accuracy$${sketch#hll}.svg || exit 1; \
		cat build/bench/$$sketch.md; \
	done; exit $$failed

build/bench/%: test/bench/%.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) -O3 -MMD -MP $< -o $@ -lpthread

-include $(ACCURACY_OF:%=build/bench/%_accuracy.d)
