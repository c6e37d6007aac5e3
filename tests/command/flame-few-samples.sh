# A picture of few samples says so; the options of flamegraph.pl are taken.
tickflame flame --minwidth 1 --countname ticks --colors hot --hash $DATA/field-cases/fc17c-few-samples.folded -o out.svg
ls out.svg
