tickflame report /dev/null
