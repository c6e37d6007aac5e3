tickflame flame "$DATA/field-cases/fc19-recursion.folded" -o page.svg
