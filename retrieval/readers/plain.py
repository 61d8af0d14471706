"""Reads plain text files: the text as it stands, its first line as title where it looks like one."""

from __future__ import annotations

from retrieval.readers.decode import decode
from retrieval.readers.loaded import Loaded, Section

_LONGEST_TITLE = 100


def read_text(data: bytes) -> Loaded:
    """The file's text. A short first line with an empty line after it, and no full stop, is the title."""
    text, warnings = decode(data)
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    first = text[start:end].strip() if end >= 0 else ""
    after = text[end + 1 :].split("\n", maxsplit=1)[0].strip() if end >= 0 else ""
    if first and not after and len(first) <= _LONGEST_TITLE and not first.endswith((".", ",", ";", ":")):
        return Loaded(text, (Section((end + 1, len(text)), (first,)),), title=first, warnings=warnings)
    return Loaded(text, (Section((0, len(text))),), warnings=warnings)
