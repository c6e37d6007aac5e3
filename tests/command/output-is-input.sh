# Refused, and the input stays as it was.
cp $DATA/field-cases/fc19-recursion.folded stacks
tickflame flame stacks -o stacks || status=$?
cmp stacks $DATA/field-cases/fc19-recursion.folded
exit $status
