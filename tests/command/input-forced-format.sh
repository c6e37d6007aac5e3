tickflame report --input-format v8log $DATA/field-cases/fc19-recursion.folded
