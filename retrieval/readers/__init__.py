"""One module a file format: bytes in, `Loaded` out."""
