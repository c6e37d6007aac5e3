# Recordings without their end: whole members, a member cut in the middle, each with one warning.
tickflame help format | sed '1,/^An example/d' >all.txt
head -30 all.txt | gzip -n >killed.tickflame.gz
tickflame fold killed.tickflame.gz
{ head -30 all.txt | gzip -n; tail -n +31 all.txt | gzip -n | head -c 60; } >torn.tickflame.gz
tickflame fold torn.tickflame.gz
head -c 20 torn.tickflame.gz >head.tickflame.gz
tickflame fold head.tickflame.gz
