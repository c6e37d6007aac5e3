printf '\177ELF\002\001\001\000\000\000\376\377 not a profile \000\001\002\n' >program
tickflame report program
