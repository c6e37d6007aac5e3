# What a recording says of itself is no damage; a later version cannot be read.
tickflame help format | sed '1,/^An example/d' >good.tickflame
tickflame fold --strict good.tickflame && echo "status $?"
tickflame report --format json good.tickflame | grep -A2 '"warnings": \[$'
tickflame report good.tickflame | sed -n '/^[0-9.,]* .*recording/p'
sed '1s/1$/2/' good.tickflame >later.tickflame
tickflame report later.tickflame
echo "status $?"
tickflame fold --input-format tickflame $DATA/field-cases/fc27-sync.folded
