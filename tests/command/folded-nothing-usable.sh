# The expected form and the first line that has it not are named.
tickflame flame $DATA/field-cases/fc17b-nothing-usable.folded -o out.svg
status=$?
ls
exit $status
