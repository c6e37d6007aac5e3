# Folding what was folded changes nothing, whatever the names.
cat >input <<'END'
main;JS:JS:* x.js:1:1 3
main;JS:LazyCompile:JS:f x.js:1:1 4
[GC]_[k];b 5
[GC]_[j] 6
(garbage collector)_[k] 7
[unknown]_[k];JS: 8
main; ;f_[i];;g_[j]_[k] 9
END
tickflame fold input >once
tickflame fold once >twice
cat once
cmp once twice
