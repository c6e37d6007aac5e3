tickflame report $DATA/field-cases/fc10b-zero-bytes.v8.log
