tickflame flame $DATA/field-cases/fc15-hostile-names.folded -o page.svg
