# A recording of perf: functions of JavaScript by the perf map, the rest by files, here without
# their symbols. Standard input, the other order of bytes, and a map named by its process are alike.
perf=$DATA/perf-data
tickflame fold --no-symbols --map-dir "$perf" "$perf/busy.perf.data" >folded
cut -c 1-200 folded
tickflame fold --no-symbols --map-dir "$perf" - <"$perf/busy.perf.data" | cmp - folded
tickflame fold --no-symbols --map-dir "$perf" "$perf/busy-big-endian.perf.data" | cmp - folded
tickflame fold --no-symbols --map "14297=$perf/perf-14297.map" "$perf/busy.perf.data" | cmp - folded
tickflame fold --no-symbols --map-dir "$perf" --weight samples "$perf/busy.perf.data" |
    awk '{ sum += $NF } END { print sum, "samples" }'
