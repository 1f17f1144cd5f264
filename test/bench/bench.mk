# make accuracy     measures the estimators into docs/ACCURACY.md and its plot
#                   (some minutes; ACCURACY_TRIALS=1000 for a quick look)

ACCURACY_TRIALS = 10000

.PHONY: accuracy
accuracy: build/bench/accuracy
	$< $(ACCURACY_TRIALS) build/bench/accuracy.tsv > build/bench/accuracy.md; echo $$? > build/bench/accuracy.status
	awk -f test/bench/splice.awk build/bench/accuracy.md docs/ACCURACY.md > build/bench/ACCURACY.md
	cp build/bench/ACCURACY.md docs/ACCURACY.md
	gnuplot test/bench/accuracy.gp > docs/accuracy.svg
	cat build/bench/accuracy.md
	exit `cat build/bench/accuracy.status`

build/bench/accuracy: test/bench/accuracy.cpp
	@mkdir -p $(@D)
	$(UNIT_CXX) $(UNIT_CXXFLAGS) -O3 -MMD -MP $< -o $@ -lpthread

-include build/bench/accuracy.d
