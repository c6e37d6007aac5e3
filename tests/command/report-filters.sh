# Filters choose samples, not shares of all.
tickflame report --focus compareSync --summary $DATA/field-cases/fc27-sync.folded
tickflame report --ignore "node:fs:4" --top 2 $DATA/field-cases/fc27-sync.folded
tickflame report --category gc --format json $DATA/field-cases/fc27-sync.folded | grep "(garbage"
tickflame report --focus nothing-is-called-so $DATA/field-cases/fc27-sync.folded
