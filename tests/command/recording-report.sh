# A recording with several threads: what the event loops did, and what the sampler could not see.
# The kernel was hidden from it, too.
sed 's/^meta\tlost/meta\tkernel-hidden\tyes\n&/' "$DATA/recordings/threads.tickflame" >hidden.tickflame
tickflame report hidden.tickflame
tickflame report --format markdown --summary hidden.tickflame
