# Stacks recorded for DWARF unwinding are walked by frame pointers, through JavaScript.
perf=$DATA/perf-data
tickflame fold --no-symbols --map-dir "$perf" "$perf/dwarf.perf.data" | cut -c 1-200
