# Packages are looked up, not searched for.
awk 'BEGIN { for (i = 0; i < 150000; i++) print "f /srv/node_modules/p" i "/a.js:1:1 1" }' >input
(ulimit -t 15 && tickflame report --format json input) | grep -c '^    {"package": "p'
