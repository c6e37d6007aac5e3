# A slip of the fingers: the nearest command is suggested.
tickflame reprot $DATA/field-cases/fc06-blank-line.v8.log
