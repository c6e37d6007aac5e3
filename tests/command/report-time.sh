# Folded text has no times: --time cannot choose.
tickflame report --time 0:1 $DATA/field-cases/fc27-sync.folded
