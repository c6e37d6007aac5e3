# A cut last record is dropped with one warning, on standard error.
tickflame fold $DATA/field-cases/fc01-truncated-tick.v8.log
