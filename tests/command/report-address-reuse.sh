# Ticks in code that is gone are explained.
tickflame report $DATA/field-cases/fc07-address-reuse.v8.log
