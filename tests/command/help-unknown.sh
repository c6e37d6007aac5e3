tickflame help reprot
