# Text, but of no kind that is known.
printf 'Dear reader,\n\nthis is a letter.\n' >letter.txt
tickflame report letter.txt
