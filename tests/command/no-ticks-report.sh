# A log without a tick: the report says why that may be.
tickflame report $DATA/field-cases/fc10a-no-ticks.v8.log
