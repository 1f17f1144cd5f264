# Puts the first file between the second one's markers for `sketch`, which say who
# wrote it: `by`, or make accuracy.
BEGIN { if (by == "") by = "make accuracy" }
NR == FNR { measured = measured $0 "\n"; next }
skipping && $0 == "<!-- end of what " by " wrote -->" { printf "%s", measured; skipping = 0 }
!skipping { print }
$0 == "<!-- " by " writes " sketch " from here -->" { skipping = 1 }
