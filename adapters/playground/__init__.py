"""A page on this machine to ask questions on, and to see what became of each."""
