"""Finished turns, for those who watch: kept in memory, written to a file, counted, and sent on."""
