tickflame flame "$DATA/field-cases/fc27-sync.folded" --search 'Sync$|/state\.js:9' -o page.svg
