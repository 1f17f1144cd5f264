# The plot of the coverage of bounds in docs/ACCURACY.md, from what
# test/bench/hll_bounds_accuracy.cpp measured. Its own white background and borders
# keep it readable on dark pages.
set terminal svg size 860,640 dynamic rounded font "Helvetica,13" background rgb "white"
set datafile separator "\t"
set logscale x
set xrange [10:1e8]
set format x "10^{%L}"
set grid lc rgb "#dddddd" lw 1
set mxtics 1
set border lc rgb "#666666"
set key right center samplen 2 opaque
set multiplot layout 3,1 margins 0.08,0.97,0.1,0.95 spacing 0.09
data = "build/bench/hll_bounds.tsv"
array precision[5] = [4, 6, 10, 14, 18]
array colour[5] = [0xcc79a7, 0xe69f00, 0x0072b2, 0xd55e00, 0x009e73]
array confidence[3] = [68, 95, 99]
array lowest[3] = [64, 92, 97.6]

do for [c=1:3] {
	set title sprintf("Coverage of bounds of %d %% (dashed: 1.5 points below)", confidence[c]) offset 0,-0.5
	set yrange [lowest[c]:100.3]
	if (c == 3) { set xlabel "distinct values" }
	if (c > 1) { unset key }
	plot confidence[c] with lines lc rgb "#666666" lw 1 notitle, \
	     confidence[c] - 1.5 with lines lc rgb "#666666" dt 2 lw 1 notitle, \
	     for [i=1:5] data index precision[i] - 4 using 1:(column(2 * c)) with linespoints lc rgb colour[i] lw 1.5 pt 7 ps 0.3 \
	         title sprintf("p = %d", precision[i])
}
