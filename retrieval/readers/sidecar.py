"""What stands beside a document in a small file of its own: for those that cannot say it themselves, such as PDFs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import Unreadable
from retrieval.readers.decode import decode
from retrieval.readers.front_matter import FrontMatter, stated, unknown_keys, yaml_values

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.readers.loaded import Loaded

ENDINGS = (".meta.yml", ".meta.yaml")
"""What the name of a document's sidecar has behind the document's own: `leaflet.pdf.meta.yml`."""

MOST_BYTES = 64_000
"""The largest sidecar that is read, in bytes."""


def document_of(sidecar: Path) -> Path | None:
    """The document that a file is the sidecar of, by its name; None if it is no sidecar."""
    ending = next((one for one in ENDINGS if sidecar.name.endswith(one)), None)
    return None if ending is None else sidecar.with_name(sidecar.name.removesuffix(ending) or sidecar.name)


def find_sidecar(document: Path) -> Path | None:
    """The document's sidecar, None where there is none. Errors: Unreadable front_matter where there are two."""
    there = [path for ending in ENDINGS if (path := document.with_name(f"{document.name}{ending}")).is_file()]
    if len(there) > 1:
        raise Unreadable("front_matter", f"there are two sidecars, {' and '.join(one.name for one in there)}: keep one")
    return there[0] if there else None


def described(loaded: Loaded, sidecar: bytes) -> Loaded:
    """The document with what its sidecar says of it, which goes before what it says itself.

    Errors: Unreadable front_matter, for whatever is written wrongly there, keys included.
    """
    values = yaml_values(decode(sidecar)[0], of="the sidecar")
    if values is None:
        return loaded
    if not isinstance(values, dict):
        raise Unreadable("front_matter", "the sidecar is no list of keys: write lines such as effective: 2026-11-30")
    matter = stated(values, of="the sidecar")
    for key in unknown_keys(values):
        known = ", ".join(FrontMatter.model_fields)
        raise Unreadable("front_matter", f'the sidecar\'s "{key[:60]}" is not known: it may hold {known}')
    said = {name: value for name in FrontMatter.model_fields if (value := getattr(matter, name)) is not None}
    return replace(loaded, **said)
