# Recordings are folded with their threads, and weigh the time that they stand for.
recording=$DATA/recordings/threads.tickflame
tickflame fold "$recording"
echo '-- samples, without threads'
tickflame fold --no-threads --weight samples "$recording"
echo '-- read again'
tickflame fold "$recording" >first.folded
tickflame fold first.folded | cmp - first.folded && echo the same
echo '-- one thread, by its number: both of its names'
tickflame fold --thread 100 --weight samples "$recording" | cut -d';' -f1 | sort -u
echo '-- two of them'
tickflame report --weight samples "$recording" "$recording" | sed -n '/busy/p;/^Where/,/^  Kernel/p'
tickflame flame --static "$recording" -o out.svg
grep -o '<title>[A-Za-z0-9-]* ([^<]*' out.svg | head -6
grep -o 'in [0-9]* samples' out.svg
tickflame flame --static --no-threads --weight samples "$recording" -o out.svg
grep -o '<title>_start ([^<]*' out.svg
