"""Microsoft Teams. Bot Framework is at the end of its life, so nothing of it is known outside this package."""
