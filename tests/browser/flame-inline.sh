tickflame flame "$DATA/field-cases/fc27-sync.folded" -o one.svg
tickflame flame "$DATA/field-cases/fc19-recursion.folded" -o two.svg
{
    echo '<!doctype html><meta charset="utf-8"><title>page</title><p id="title">The page</p><p class="dim">Its text</p>'
    for picture in one.svg two.svg; do sed 1d $picture; done
} >page.html
