# The plot of the error of intersections in docs/ACCURACY.md, from what
# test/bench/hll_overlap_accuracy.cpp measured. Its own white background and borders
# keep it readable on dark pages.
set terminal svg size 860,420 dynamic rounded font "Helvetica,13" background rgb "white"
set datafile separator "\t"
set logscale xy
set xrange [0.0008:1.1]
set yrange [0.05:1]
set grid lc rgb "#dddddd" lw 1
set mxtics 1
set border lc rgb "#666666"
set key bottom right Left reverse samplen 2 opaque
set xlabel "Jaccard"
set title "Error of the intersection (root mean square, % of the union; p = 14)"
data = "build/bench/hll_overlap.tsv"
array colour[2] = [0x0072b2, 0xd55e00]
array sizes[2] = ["1,000,000 and 1,000,000 values", "1,000,000 and 100,000 values"]
plot for [i=1:2] data index i - 1 using 1:2 with linespoints lc rgb colour[i] lw 2 pt 7 ps 0.4 title sizes[i], \
     for [i=1:2] data index i - 1 using 1:3 with linespoints lc rgb colour[i] dt 2 lw 1.5 pt 7 ps 0.4 \
         title sizes[i].", inclusion and exclusion"
