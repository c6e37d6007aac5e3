# What --exact needs: a version that it knows, and the symbols that the reference saw.
logs=$DATA/field-cases
tickflame prof-process --exact "$logs/fc09-gc-overlap.v8.log" || echo "status $?"
tickflame prof-process --exact --no-symbols "$logs/fc04-quoted-names-v8-6.v8.log" || echo "status $?"
tickflame prof-process --exact --no-symbols --as-node 20 --only-summary "$logs/fc09-gc-overlap.v8.log"
tickflame prof-process --exact --no-symbols --as-node 24 --only-summary "$logs/fc09-gc-overlap.v8.log"
# 2^32 + 20 is no version.
tickflame prof-process --exact --no-symbols --as-node 4294967316 "$logs/fc09-gc-overlap.v8.log" || echo "status $?"
# Without a name nothing is filtered.
tickflame prof-process --only-summary --filter-runtime-timer "$logs/fc09-gc-overlap.v8.log"
