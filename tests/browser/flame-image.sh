tickflame flame "$DATA/field-cases/fc27-sync.folded" --static -o page.svg
