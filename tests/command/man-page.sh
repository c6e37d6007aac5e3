# The man page has every command and option.
tickflame help --man >tickflame.1
for word in report prof-process fold flame "\\\\-\\\\-focus REGEX" "EXIT STATUS"; do
    grep -c "$word" tickflame.1 >/dev/null && echo "$word"
done
tickflame help --man -o copy.1
cmp tickflame.1 copy.1
