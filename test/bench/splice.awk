# Puts the first file between the second one's markers for `sketch`.
NR == FNR { measured = measured $0 "\n"; next }
skipping && /^<!-- end of what make accuracy wrote -->/ { printf "%s", measured; skipping = 0 }
!skipping { print }
$0 == "<!-- make accuracy writes " sketch " from here -->" { skipping = 1 }
