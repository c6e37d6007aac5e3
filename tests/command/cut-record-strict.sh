tickflame fold --strict $DATA/field-cases/fc01-truncated-tick.v8.log
