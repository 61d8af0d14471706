"""Office files as ZIP archives: told apart, and bounded before a library opens them."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from retrieval.errors import Unreadable

MOST_UNPACKED = 200_000_000
"""Bytes that the XML parts of an Office file may unpack to, together."""

_MOST_PARTS = 20_000
_MAIN_PARTS = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
_XML = (".xml", ".rels", ".vml")


def office_kind(data: bytes) -> str:
    """By the archive's main part "docx", "pptx" or "xlsx"; "broken" or "zip" otherwise."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return "broken"
    return next((kind for part, kind in _MAIN_PARTS.items() if part in names), "zip")


def check_office(data: bytes, *, most_unpacked: int = MOST_UNPACKED) -> None:
    """Errors: Unreadable too_large where the parts unpack to too much, broken where a part is damaged.

    The sizes that a ZIP states are what Python's reader unpacks at most, so the sum can be trusted as a bound.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            parts = archive.infolist()
            unpacked = sum(part.file_size for part in parts if part.filename.endswith(_XML))
            if unpacked > most_unpacked or len(parts) > _MOST_PARTS:
                raise Unreadable("too_large", f"the file unpacks to {unpacked // 1_000_000} MB of XML: split it up")
            for part in parts:
                if part.filename.endswith(_XML):
                    with archive.open(part) as stream:
                        head = stream.read(2048)
                    if b"<!DOCTYPE" in head or b"<!ENTITY" in head:
                        raise Unreadable("broken", "the file defines XML entities, which no Office program writes")
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise Unreadable("broken", "the file is damaged or cut off: get a whole copy of it") from error
