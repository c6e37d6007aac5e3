# A binary that is named and cannot be used is an error, not silence.
log=$DATA/field-cases/fc08-wide-addresses.v8.log
mkfifo pipe
for binary in missing . $log /dev/zero pipe; do
    tickflame fold --apply-to "$binary" $log
    echo "$?"
done
tickflame prof-process --apply-to missing $log
