# What record does not take.
try() {
    tickflame record "$@" || echo "status $?: $*" | sed "s/-p $$/-p SHELL/"
}
try app.js
try app.js -- node
try --
try -p $$ -- node app.js
try -p 0
try -p node
try --port 65536
try -p $$ -d 0
try -p $$ -d soon
try -p $$ -F 0
try -p $$ -F 100001
try -p $$ --main-thread --all-threads
try -p $$ --exit-status
try -p $$ --event faults
try -p $$ --memory-interval 1
try -p $$ --map-dir no-folder
try -p $$ --map-dir /dev/null
try -p 4194305 -d .5
try -p $$ --ring-size 9999999
try -p $$ --quiet -o profile.txt
try -p $$ --quiet -o profile.gz
ls
