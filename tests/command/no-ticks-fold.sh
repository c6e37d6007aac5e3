# `fold` of nothing is nothing, with a warning.
tickflame fold $DATA/field-cases/fc10a-no-ticks.v8.log
