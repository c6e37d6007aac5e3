# The same in JSON: counts of samples, merged threads, sampling, counters.
tickflame report --format json --top 2 "$DATA/recordings/threads.tickflame"
