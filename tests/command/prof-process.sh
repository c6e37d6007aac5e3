tickflame prof-process $DATA/field-cases/fc07-address-reuse.v8.log
