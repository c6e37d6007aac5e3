tickflame flame "$DATA/field-cases/fc27-sync.folded" -o page.svg
