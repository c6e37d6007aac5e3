tickflame flame $DATA/field-cases/fc17a-empty.folded -o out.svg
status=$?
ls
exit $status
