# Blocking calls with their callers; start-up apart.
tickflame report $DATA/field-cases/fc27-sync.folded
