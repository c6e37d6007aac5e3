# A recursive function counts once per stack.
tickflame report $DATA/field-cases/fc19-recursion.folded
