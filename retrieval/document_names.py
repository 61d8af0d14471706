"""Which document of an index is meant by what a person calls it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePath
from typing import TYPE_CHECKING

from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.document import Document


class AmbiguousName(RetrievalError):
    """A name that several documents share."""


class DocumentNames:
    """Finds documents by id, by web address, by path or the end of one, by file name without its ending, or by the
    beginning of that, up to a hyphen (`GHR_0000163` for `GHR_0000163-cystic-fibrosis.md`).

    The first of these that fits any document decides. What stands for none of them may name a passage or section of a
    document, behind a `#`: it stands for the document.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._forms: tuple[dict[str, list[Document]], ...] = tuple(defaultdict(list) for _ in range(5))
        for document in documents:
            path = PurePath(document.path)
            beginnings = [path.stem[:at] for at, char in enumerate(path.stem) if char == "-"]
            ends = ["/".join(path.parts[at:]) for at in range(1, len(path.parts))]
            names = [document.id], [document.url or ""], [document.path, *ends], [path.stem], beginnings
            for form, of_form in zip(self._forms, names, strict=True):
                for name in of_form:
                    form[name].append(document)

    def find(self, name: str) -> Document | None:
        """The document of this name, None of an unknown one. Errors: AmbiguousName."""
        found: Sequence[Document] = next((form[name] for form in self._forms if name and name in form), ())
        if len(found) > 1:
            shown = ", ".join(document.id for document in found[:3])
            msg = f"{name!r} names {len(found)} documents; give the id of one: {shown}{', ...' * (len(found) > 3)}"
            raise AmbiguousName(msg)
        if found:
            return found[0]
        document, hash_, _ = name.rpartition("#")
        return self.find(document) if hash_ else None
