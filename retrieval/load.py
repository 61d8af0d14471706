"""Reads one file of any supported kind, or says in one line why it cannot be."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import Unreadable
from retrieval.readers.archive import check_office
from retrieval.readers.html import read_html
from retrieval.readers.kind import BY_EXTENSION, TEXT_KINDS, Kind, kind_of
from retrieval.readers.loaded import Loaded, Section
from retrieval.readers.markdown import read_markdown
from retrieval.readers.one_line import one_line
from retrieval.readers.pdf.reader import read_pdf
from retrieval.readers.plain import read_text
from retrieval.readers.sheets import read_csv, read_xlsx
from retrieval.readers.slides import read_pptx
from retrieval.readers.word import read_docx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["MOST_BYTES", "READER_VERSION", "Loaded", "Section", "load", "parse", "read_bytes"]

READER_VERSION = "4"
"""Raised whenever readers or splitter change what they make of a file, so that files are taken in anew."""

MOST_BYTES = 100_000_000
"""The largest file that is read, in bytes."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")

_READERS: Mapping[Kind, Callable[[bytes], Loaded]] = {
    Kind.MARKDOWN: read_markdown,
    Kind.TEXT: read_text,
    Kind.HTML: read_html,
    Kind.PDF: read_pdf,
    Kind.DOCX: read_docx,
    Kind.PPTX: read_pptx,
    Kind.XLSX: read_xlsx,
    Kind.CSV: read_csv,
}


def load(path: Path, *, most_bytes: int = MOST_BYTES) -> Loaded:
    """Read a file. Blocking: call it off the event loop. Errors: Unreadable, with the codes of both parts."""
    return parse(path.name, read_bytes(path, most_bytes=most_bytes))


def read_bytes(path: Path, *, most_bytes: int = MOST_BYTES) -> bytes:
    """A file's bytes. Errors: Unreadable too_large, unsupported (no regular file), unreadable (not allowed)."""
    try:
        if not path.is_file():
            raise Unreadable("unsupported", "this is no regular file")
        size = path.stat().st_size
        if size > most_bytes:
            limit = f"{most_bytes / 1e6:g} MB"
            raise Unreadable("too_large", f"{size / 1e6:.1f} MB is over the limit of {limit}: split it up")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable("unreadable", f"the file cannot be opened ({error.strerror}): mend its permissions") from error


def parse(name: str, data: bytes) -> Loaded:
    """Read a file's bytes under its name; the title is the document's own, else made from the name.

    Errors: Unreadable unsupported, empty, wrong_type, encrypted, broken, scanned, no_text, not_text, too_large,
    front_matter.
    """
    stem, dot, extension = name.rpartition(".")
    kind = BY_EXTENSION.get(f"{dot}{extension}".lower()) if stem else None
    if kind is None:
        known = ", ".join(extension.lstrip(".") for extension in BY_EXTENSION)
        raise Unreadable("unsupported", f"files of this type are not read (known: {known})")
    if not data.strip():
        raise Unreadable("empty", f"the file is empty ({len(data)} bytes)")
    _check_kind(kind, data)
    if kind in {Kind.DOCX, Kind.PPTX, Kind.XLSX}:
        check_office(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries warn of features that they pass over
            loaded = _READERS[kind](data)
    except Unreadable:
        raise
    except Exception as error:  # readers raise whatever their libraries raise
        raise Unreadable("broken", f"the {kind} file cannot be read: it is damaged or of an unknown make") from error
    if not any(loaded.text[slice(*section.span)].strip() for section in loaded.sections):
        raise Unreadable("no_text", f"the {kind} file holds no text")
    title = one_line(loaded.title) or one_line(readable_name(stem)) or str(kind)
    return replace(_without_surrogates(loaded), title=title)


def readable_name(stem: str) -> str:
    """A file's name as a title: "flu-clinic_2026" becomes "Flu clinic 2026"."""
    words = " ".join(re.sub(r"[_-]+", " ", stem).split()) or stem
    return words[:1].upper() + words[1:]


def _without_surrogates(loaded: Loaded) -> Loaded:
    """Lone surrogates, which no file and no database takes, each become one replacement character: spans stay."""

    def mended(*texts: str) -> tuple[str, ...]:
        return tuple(_SURROGATE.sub("\ufffd", text) for text in texts)

    sections = (
        replace(one, headings=mended(*one.headings), place=mended(one.place)[0], columns=mended(*one.columns))
        for one in loaded.sections
    )
    text, *warnings = mended(loaded.text, *loaded.warnings)
    return replace(loaded, text=text, sections=tuple(sections), warnings=tuple(warnings))


def _check_kind(kind: Kind, data: bytes) -> None:
    """Errors: Unreadable where the bytes are not what the extension says."""
    found = kind_of(data)
    if found is kind or (kind in TEXT_KINDS and found is Kind.TEXT):
        return
    if found is Kind.ENCRYPTED_OFFICE:
        raise Unreadable("encrypted", "the Office file needs a password: save it without one, then take it in again")
    if found is Kind.OTHER_BINARY and kind in TEXT_KINDS:
        raise Unreadable("not_text", "the bytes are no text in any encoding: check what this file is")
    if found is Kind.OTHER_BINARY or (found is Kind.ZIP and kind in {Kind.DOCX, Kind.PPTX, Kind.XLSX}):
        raise Unreadable("broken", f"this is no readable {kind} file: it is damaged, or something else by nature")
    if found is Kind.OLD_OFFICE:
        raise Unreadable("wrong_type", f"named as {kind} but an old binary Office file (or encrypted): save it anew")
    raise Unreadable("wrong_type", f"named as {kind} but its content is {found}: give it the right extension")
