# Names of libraries are looked up, not searched for: a log of many takes seconds, not minutes.
awk 'BEGIN {
    print "v8-version,12,4,254,14,0"
    for (i = 0; i < 300000; i++)
        printf "shared-library,/nowhere/%d.so,0x%x,0x%x,0\n", i, 4096 * i + 4096, 4096 * i + 8192
    print "tick,0x1010,10,0,0x0,6"
}' >log
(ulimit -t 15 && tickflame fold log)
