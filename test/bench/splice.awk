# Puts the first file between the markers of the second.
NR == FNR { measured = measured $0 "\n"; next }
/^<!-- end of what make accuracy wrote -->/ { printf "%s", measured; skipping = 0 }
!skipping { print }
/^<!-- make accuracy writes from here -->/ { skipping = 1 }
