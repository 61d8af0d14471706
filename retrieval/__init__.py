"""Documents to passages, questions to evidence."""
