# Names of strangers do not make a report endless: places in the verdict, code in Markdown and marks
# without width are cut.
awk 'BEGIN {
    while (length(path) < 100000) path = path "/folder"
    while (length(marks) < 100000) marks = marks "\xcc\x81"
    print "main;f " path "/a.js:12:3 60"
    print "main;e" marks " 40"
}' >input
tickflame report input
tickflame report --format markdown input
