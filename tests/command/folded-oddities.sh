# Odd lines of folded text: what is used, and one warning for the four that are not.
tickflame fold $DATA/field-cases/fc16a-line-oddities.folded
