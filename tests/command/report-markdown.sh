# Names of strangers stand in code spans.
tickflame report --format markdown $DATA/field-cases/fc27-sync.folded
tickflame report --format markdown $DATA/field-cases/fc15-hostile-names.folded
