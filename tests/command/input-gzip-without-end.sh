# A gzip stream cut in its last bytes: what came before counts, with a warning.
gzip -nc $DATA/field-cases/fc06-blank-line.v8.log | head -c -4 >cut.log.gz
tickflame fold cut.log.gz
