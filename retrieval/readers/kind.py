"""What a file is, told from its bytes."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from retrieval.readers.archive import office_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_HTML = re.compile(
    rb"(?:\s|<!--.*?-->|<\?xml[^>]*>)*<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


class Kind(StrEnum):
    """The formats that can be taken in, and what else a file may turn out to be."""

    MARKDOWN = "Markdown"
    TEXT = "text"
    HTML = "HTML"
    PDF = "PDF"
    DOCX = "Word"
    PPTX = "PowerPoint"
    XLSX = "Excel"
    CSV = "CSV"
    ENCRYPTED_OFFICE = "encrypted Office"
    OLD_OFFICE = "old binary Office"
    ZIP = "ZIP"
    OTHER_BINARY = "binary"
    IMAGE = "image"
    RTF = "RTF"


BY_EXTENSION: Mapping[str, Kind] = {
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".txt": Kind.TEXT,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".pptx": Kind.PPTX,
    ".xlsx": Kind.XLSX,
    ".csv": Kind.CSV,
}
"""The extensions that are read, in lower case."""

TEXT_KINDS = frozenset({Kind.MARKDOWN, Kind.TEXT, Kind.CSV, Kind.HTML})
"""Kinds whose bytes are text, which no magic number tells apart."""

_MAGIC: tuple[tuple[bytes, Kind], ...] = (
    (b"\x89PNG", Kind.IMAGE),
    (b"\xff\xd8\xff", Kind.IMAGE),
    (b"GIF8", Kind.IMAGE),
    (b"II*\x00", Kind.IMAGE),
    (b"MM\x00*", Kind.IMAGE),
    (b"RIFF", Kind.OTHER_BINARY),
    (b"{\\rtf", Kind.RTF),
    (b"\x1f\x8b", Kind.OTHER_BINARY),
    (b"7z\xbc\xaf", Kind.OTHER_BINARY),
    (b"Rar!", Kind.OTHER_BINARY),
    (b"MZ", Kind.OTHER_BINARY),
    (b"\x7fELF", Kind.OTHER_BINARY),
    (b"SQLite format 3", Kind.OTHER_BINARY),
)


def kind_of(data: bytes) -> Kind:
    """What the bytes are. Plain text of any sort is `Kind.TEXT`; bytes of no known sort are `Kind.OTHER_BINARY`."""
    if b"%PDF-" in data[:1024]:
        return Kind.PDF
    if data.startswith(_OLE):
        return Kind.ENCRYPTED_OFFICE if _ENCRYPTED_STREAM in data else Kind.OLD_OFFICE
    if data.startswith(b"PK\x03\x04"):
        return {"docx": Kind.DOCX, "pptx": Kind.PPTX, "xlsx": Kind.XLSX}.get(office_kind(data), Kind.ZIP)
    for magic, kind in _MAGIC:
        if data.startswith(magic) and (kind is not Kind.OTHER_BINARY or not looks_like_text(data)):
            return kind
    if _HTML.match(data[:4096].removeprefix(_BOMS[0])):
        return Kind.HTML
    return Kind.TEXT if looks_like_text(data) else Kind.OTHER_BINARY


def looks_like_text(data: bytes) -> bool:
    """Whether hardly any byte is a control character; UTF-16 counts as text, and UTF-32 with its mark."""
    if data.startswith(_BOMS) or _wide(data):
        return True
    sample = data[:65_536]
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in sample)
    return controls <= len(sample) // 200


def _wide(data: bytes) -> bool:
    """Whether it is UTF-16 without a mark: every other byte zero in western text."""
    sample = data[:4096]
    halves = sample[0::2], sample[1::2]
    zeros = [half.count(0) / max(len(half), 1) for half in halves]
    return len(data) % 2 == 0 and max(zeros) > 0.7 and min(zeros) < 0.05
