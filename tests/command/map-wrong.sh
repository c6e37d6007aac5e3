# The values of --map.
for map in 12 =file 12= x=file; do
    tickflame fold --map "$map" "$DATA/perf-data/busy.perf.data" || echo "status $?"
done
