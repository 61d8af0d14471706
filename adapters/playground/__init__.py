"""A page on this machine to ask questions on, and to see what became of each."""

PLATFORM = "playground"
"""The page as a platform: whoever asks there sits at the operator's own machine."""
