tickflame report --format json $DATA/field-cases/fc27-sync.folded
