# The threads of several inputs are told apart by their file, and can be chosen by it.
tickflame report --format json $DATA/field-cases/fc06-blank-line.v8.log $DATA/field-cases/fc09-gc-overlap.v8.log | grep '"role"'
tickflame report $DATA/field-cases/fc06-blank-line.v8.log $DATA/field-cases/fc09-gc-overlap.v8.log | grep -A 3 '^Threads'
tickflame report --thread $DATA/field-cases/fc06-blank-line.v8.log $DATA/field-cases/fc06-blank-line.v8.log $DATA/field-cases/fc09-gc-overlap.v8.log | grep 'pass the filters'
