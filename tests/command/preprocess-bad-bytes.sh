# A byte of a name that is not UTF-8 does not reach JSON as it is.
printf 'v8-version,12,4,254,14,0\ncode-creation,JS,10,1,0x2000,64,a\377b\303\251\\ud800 /x.js:1:1,0x30,~\ntick,0x2001,9,0,0x0,0\n' >log
tickflame prof-process --preprocess log >out
iconv -f UTF-8 -t UTF-8 out >copy && grep -o '"name": "a[^"]*"' out
