# `fold` of its own output changes nothing.
for name in fc02-escapes.v8.log fc08-wide-addresses.v8.log fc15-hostile-names.folded fc16b-huge-counts.folded fc19-recursion.folded; do
    tickflame fold $DATA/field-cases/$name >once 2>/dev/null
    tickflame fold once | cmp - once && echo "$name: the same"
done
