tickflame fold - - <$DATA/field-cases/fc19-recursion.folded
