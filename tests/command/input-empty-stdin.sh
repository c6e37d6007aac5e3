tickflame report - </dev/null
