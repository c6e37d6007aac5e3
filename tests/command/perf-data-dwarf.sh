# Stacks recorded for DWARF unwinding, without the binaries: by frame pointers, through JavaScript. That the one in libc
# is cut is known only to builds with libunwind; the others warn.
perf=$DATA/perf-data
tickflame fold --no-symbols --map-dir "$perf" "$perf/dwarf.perf.data" 2>/dev/null |
    sed 's/^node;\[truncated\];\[libc/node;[libc/' | cut -c 1-200
