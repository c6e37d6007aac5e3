# Nothing in a name ends its code span or its cell.
cat >input <<'END'
main;a\|<img src=x> 9
main;b\\|c 8
main;`d` | ``e`` 7
main;f \| g` | h.js:1:1 6
main;@user #1 <b> http://x.example 5
END
tickflame report --format markdown input
