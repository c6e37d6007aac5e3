# The collector both ways: on top of the others, and apart.
tickflame report $DATA/field-cases/fc09-gc-overlap.v8.log
