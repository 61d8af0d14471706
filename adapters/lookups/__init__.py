"""Look-ups over the operator's own tables."""
