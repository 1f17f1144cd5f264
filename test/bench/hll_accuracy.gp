# The plot of docs/ACCURACY.md, from what test/bench/hll_accuracy.cpp measured. Its
# own white background and borders keep it readable on dark pages.
set terminal svg size 860,560 dynamic rounded font "Helvetica,13" background rgb "white"
set datafile separator "\t"
set logscale x
set xrange [1:1e9]
set format x "10^{%L}"
set grid lc rgb "#dddddd" lw 1
set mxtics 1
set border lc rgb "#666666"
set key top left reverse Left samplen 2 opaque
set multiplot layout 2,1 margins 0.08,0.97,0.1,0.94 spacing 0.14
data = "build/bench/hll.tsv"
precision(i) = 10 + 2 * i
array colour[4] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7]

set title "Error (root mean square, %); dashed: 1.04 / sqrt(2^p)"
set logscale y
set yrange [0.004:8]
set format y "%g"
plot for [i=0:3] 104 / sqrt(2 ** precision(i)) with lines lc rgb colour[i + 1] dt 2 lw 1 notitle, \
     for [i=0:3] data index i using 1:4 with lines lc rgb colour[i + 1] lw 2 title sprintf("p = %d", precision(i))

set title "Bias (mean, %; bars: 3 sigma)"
unset logscale y
set yrange [-0.15:0.15]
set xlabel "distinct values"
plot for [i=0:3] data index i using 1:2:3 with yerrorlines lc rgb colour[i + 1] lw 1.5 pt 7 ps 0.3 title sprintf("p = %d", precision(i))
