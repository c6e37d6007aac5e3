# `help COMMAND` and `COMMAND --help` are the same text.
tickflame help report
tickflame report --help >help.txt
tickflame help report | cmp - help.txt
