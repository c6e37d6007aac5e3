tickflame --version
