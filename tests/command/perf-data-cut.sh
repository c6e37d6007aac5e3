# What is there of a recording that was cut is used; with --strict it is not.
head -c 8000 "$DATA/perf-data/busy.perf.data" >cut.perf.data
tickflame fold --no-symbols cut.perf.data | awk '{ sum += $NF } END { print sum }'
tickflame fold --no-symbols --strict cut.perf.data || echo "status $?"
head -c 200 "$DATA/perf-data/busy.perf.data" >header.perf.data
tickflame fold header.perf.data || echo "status $?"
