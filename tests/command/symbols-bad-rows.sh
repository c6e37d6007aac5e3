# What is wrong with a file of symbols is said with its name.
printf 'v8-version,12,4,254,14,0\nshared-library,/opt/node,0x400000,0x900000,0\ntick,0x400100,1,0,0x0,6\n' >log
printf '/opt/node\tnm\t100\t10\tt\tuv_run\nno row\n/opt/node\tnm\tzz\t10\tt\tbad\n' >rows
tickflame fold --symbols rows log
