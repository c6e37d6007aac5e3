tickflame report
