# --summary leaves the details out; --color=always emphasises.
tickflame report --summary --color=always $DATA/field-cases/fc19-recursion.folded
