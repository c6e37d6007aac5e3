# Addresses of 64 bits; lost ticks are said.
tickflame report $DATA/field-cases/fc08-wide-addresses.v8.log
