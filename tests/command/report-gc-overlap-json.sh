tickflame report --format json $DATA/field-cases/fc09-gc-overlap.v8.log
