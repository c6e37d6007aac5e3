# A file that exists is left alone; so is what is no file.
for name in kept.tickflame.gz kept.folded kept.svg; do
    echo precious >"$name"
    tickflame record --quiet -p $$ -d 0.1 -o "$name" || echo "status $?"
    cat "$name"
done
mkdir folder.svg
tickflame record --quiet -p $$ -d 0.1 -o folder.svg || echo "status $?"
tickflame record --quiet -p $$ -d 0.1 --force -o folder.svg || echo "status $?"
ls
