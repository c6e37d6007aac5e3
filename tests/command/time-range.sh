# Part of a recording, by the times of its ticks in seconds.
log=$DATA/field-cases/fc07-address-reuse.v8.log
tickflame fold $log
for range in 0:0.0004 0.0004: :0.0004; do
    echo "--time $range"
    tickflame fold --time $range $log
done
