# One line each, status 2.
for option in "--focus=(" --time=3:2 --time=x --category=cpu --top=many --color=blue --no-symbols=1 --thread; do
    tickflame report $DATA/field-cases/fc27-sync.folded $option
    echo "status $?"
done
