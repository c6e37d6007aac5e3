# Nothing asked for: the usage, and the status of wrong usage.
tickflame
