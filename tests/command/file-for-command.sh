# The command was forgotten.
cp $DATA/field-cases/fc19-recursion.folded stacks.folded
tickflame stacks.folded
