# Folded text with odd lines and a fractional count.
tickflame report $DATA/field-cases/fc16a-line-oddities.folded
