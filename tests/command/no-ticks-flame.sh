# No picture of nothing, and no file left behind.
tickflame flame $DATA/field-cases/fc10a-no-ticks.v8.log -o out.svg
status=$?
ls
exit $status
