# A recording with waits: an execSync of 300 ms, a hash of 102 ms, one that a quota stopped for 96 of 180 ms.
tickflame report "$DATA/recordings/waits.tickflame"
tickflame report --format markdown --summary "$DATA/recordings/waits.tickflame"
tickflame report --format json "$DATA/recordings/waits.tickflame" |
    sed -n '/"totals"/,/^  ]/p;/"blocking"/,/^  }/p;/"blocks"/,/"event_loop"/p;/"sampling"/,/^  }/p'
tickflame fold "$DATA/recordings/waits.tickflame"
tickflame report --category waiting --summary "$DATA/recordings/waits.tickflame" | sed -n 6,14p
