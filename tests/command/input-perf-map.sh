# A perf map is no profile, and the error says what it is for.
tickflame report $DATA/field-cases/fc22-perf-31.map
