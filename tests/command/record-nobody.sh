# A process that cannot be there: above the most that Linux gives out.
tickflame record -p 4194305 -o nobody.tickflame.gz || echo "status $?"
ls
tickflame record -p 4194305
