# Only damage counts: a record of a newer kind is none.
tickflame report --strict --verbose --summary $DATA/field-cases/fc05-unknown-records.v8.log | head -n 1
tickflame report --strict $DATA/field-cases/fc16a-line-oddities.folded -o report.txt
status=$?
ls report.txt 2>/dev/null
exit $status
