"""Messages in, replies out: the platforms, the command line and the wiring."""
