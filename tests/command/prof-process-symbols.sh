# An address inside of the mapping is one of the process, any other counts from its start.
printf 'library\ttable\taddress\tsize\ttype\tname\n' >rows.tsv
printf '/opt/app/node\tnm\t0000000000400100\t0000000000000010\tT\tnode::Start(int, char**)\n' >>rows.tsv
printf '/usr/lib/libdemo.so\tdyn\t0000000000000200\t\tW\tdemo "quoted"\n' >>rows.tsv
tickflame prof-process --serialize-vm-symbols --symbols rows.tsv "$DATA/field-cases/fc09-gc-overlap.v8.log"
tickflame prof-process --serialize-vm-symbols --no-symbols "$DATA/field-cases/fc09-gc-overlap.v8.log"
