tickflame report --fromat json $DATA/field-cases/fc06-blank-line.v8.log
