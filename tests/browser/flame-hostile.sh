tickflame flame "$DATA/field-cases/fc15-hostile-names.folded" --title '<b onclick="alert(1)">T</b>' --notes '--><script>alert(1)</script>' -o page.svg
