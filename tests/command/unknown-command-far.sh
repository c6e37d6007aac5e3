# Nothing is near: no suggestion.
tickflame xyzzyplugh
