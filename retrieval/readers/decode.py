"""Bytes of text files to text, with a note where they are not UTF-8."""

from __future__ import annotations

import codecs
import re

from retrieval.errors import Unreadable
from retrieval.readers.kind import looks_like_text

_DECLARED = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
"""In this order: the mark of UTF-32 begins as that of UTF-16 does."""

_MOST_FOREIGN = 0.25
"""Western text has fewer accented letters than this share; above it the bytes are of another script."""

_CENTRAL_EUROPEAN = frozenset({"Polish", "Czech", "Hungarian", "Slovak", "Slovene", "Croatian", "Romanian"})


def decode(data: bytes, *, html: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text, line ends as line feeds, and a note if the bytes were not UTF-8. Errors: Unreadable not_text."""
    text, encoding = _decode(data, _declared(data) if html else None)
    notes = () if encoding is None else (f"not UTF-8: read as {encoding}",)
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def _decode(data: bytes, declared: str | None) -> tuple[str, str | None]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace"), encoding
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    if not looks_like_text(data):
        raise Unreadable("not_text", "the bytes are no text in any encoding: check what this file is")
    if text is not None and "\0" not in text:
        return text, None
    if b"\0" in data:
        encoding = "utf-16-le" if data[1::2].count(0) > data[0::2].count(0) else "utf-16-be"
        return data.decode(encoding, "replace"), "UTF-16"
    if declared:
        try:
            return data.decode(declared), declared
        except (LookupError, UnicodeDecodeError):
            pass
    return _guess(data)


def _guess(data: bytes) -> tuple[str, str]:
    """Windows-1252 for western text, which short texts mislead a detector about; else what the detector says."""
    import charset_normalizer

    western = data.decode("cp1252", "replace")
    letters = [char for char in western if char.isalpha()]
    foreign = sum(not char.isascii() for char in letters) / max(len(letters), 1)
    best = charset_normalizer.from_bytes(data).best()
    if best is not None and (foreign > _MOST_FOREIGN or best.language in _CENTRAL_EUROPEAN):
        return str(best), best.encoding
    return western, "windows-1252"


def _declared(data: bytes) -> str | None:
    found = _DECLARED.search(data[:4096])
    name = found[1].decode("ascii").lower() if found else None
    return "cp1252" if name in {"iso-8859-1", "latin-1", "latin1", "us-ascii"} else name
