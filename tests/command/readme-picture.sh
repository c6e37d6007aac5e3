# The picture in README.md is what the program draws.
tickflame flame --static $DATA/field-cases/fc27-sync.folded -o drawn.svg
cmp drawn.svg $DATA/flame-graph.svg || echo "draw tests/data/flame-graph.svg anew by the command above"
