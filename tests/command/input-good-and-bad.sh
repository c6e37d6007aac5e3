# Of several inputs the good ones are used, and the status tells.
tickflame fold $DATA/field-cases/fc19-recursion.folded nowhere.folded
