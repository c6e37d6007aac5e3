mkdir logs
tickflame report logs
