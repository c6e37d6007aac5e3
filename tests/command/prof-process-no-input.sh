tickflame prof-process
