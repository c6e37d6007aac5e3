# The gzip header alone: nothing usable.
gzip -nc $DATA/field-cases/fc06-blank-line.v8.log | head -c 12 >cut.log.gz
tickflame report cut.log.gz
