# Closed standard descriptors: no file lands on them, and writing to them is an error.
tickflame flame $DATA/field-cases/fc27-sync.folded -o out.svg 2>&-
head -c 5 out.svg; echo
tickflame fold $DATA/field-cases/fc19-recursion.folded >&-
echo "status $?"
tickflame fold - <&-
echo "status $?"
