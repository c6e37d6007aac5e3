# Two inputs are one profile; --separate keeps their stacks apart.
tickflame fold $DATA/field-cases/fc19-recursion.folded $DATA/field-cases/fc17c-few-samples.folded
tickflame fold --separate $DATA/field-cases/fc19-recursion.folded - <$DATA/field-cases/fc17c-few-samples.folded
tickflame report --format json $DATA/field-cases/fc19-recursion.folded $DATA/field-cases/fc06-blank-line.v8.log | sed -n "/inputs/,/totals/p"
