tickflame help
