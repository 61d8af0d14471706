"""`citewell doctor`: what is set up, what is not as it should be, and how to mend it."""
