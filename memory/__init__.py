"""What was said: conversations, turns and the inbox. Imports nothing of the other packages."""
