tickflame report nowhere.log
