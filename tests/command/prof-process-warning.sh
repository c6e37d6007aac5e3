# Each warning names its log; with --strict the first one ends it.
cd "$DATA/field-cases"
tickflame prof-process --only-summary fc01-truncated-tick.v8.log fc08-wide-addresses.v8.log
tickflame prof-process --only-summary - <fc01-truncated-tick.v8.log
tickflame prof-process --strict fc01-truncated-tick.v8.log
