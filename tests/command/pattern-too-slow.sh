# A pattern that backtracks without end is given up: an error, soon, and not a result that lacks
# what was not found.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "main;aaaaaaaaaaaaaaaaaaaaaaaa%d! 1\n", i }' >input
ulimit -t 5
for command in report fold 'flame -o picture.svg'; do
    for option in --focus --ignore; do
        tickflame $command $option '(a+)+$' input
        echo "$command $option: $?"
    done
done
tickflame flame --search '(a+)+$' input -o picture.svg
status=$?
ls
exit $status
