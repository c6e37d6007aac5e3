# A file that reaches its size limit is an error like a full disk, and nothing is left behind.
awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;function" i " 1" }' >input
ulimit -f 64
tickflame fold input -o result
status=$?
ls -A
exit $status
