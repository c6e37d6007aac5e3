# The page of the recording format, as text and as a man page; its example is a recording.
tickflame help format >page.txt
grep -A4 '^An example' page.txt
awk 'length($0) > 80' page.txt
tickflame help --man format -o tickflame-format.5
head -3 tickflame-format.5
sed '1,/^An example/d' page.txt >example.tickflame
tickflame fold --no-tiers example.tickflame
sed '$d' example.tickflame | gzip -n >cut.tickflame.gz
tickflame fold --no-tiers --quiet cut.tickflame.gz
tickflame fold --no-tiers --strict cut.tickflame.gz
