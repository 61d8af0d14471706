"""One turn, from message to reply."""
