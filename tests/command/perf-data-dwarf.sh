# Stacks recorded for DWARF unwinding are unwound, here without the binaries: by frame pointers, through JavaScript.
perf=$DATA/perf-data
tickflame fold --no-symbols --map-dir "$perf" "$perf/dwarf.perf.data" | cut -c 1-200
