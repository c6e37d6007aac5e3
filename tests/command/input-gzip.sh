# A gzip'd log, named or on standard input, is the log.
gzip -nc $DATA/field-cases/fc06-blank-line.v8.log >log.gz
tickflame fold $DATA/field-cases/fc06-blank-line.v8.log >plain.folded
tickflame fold log.gz | cmp - plain.folded
tickflame fold - <log.gz | cmp - plain.folded
cat plain.folded
