"""Small documents for tests of the index."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from retrieval.document import PUBLIC, Document, Passage
from retrieval.evidence import Hit

if TYPE_CHECKING:
    from retrieval.embed import HashEmbedder
    from retrieval.index import Index


def document(id_: str = "flu", *, collection: str = PUBLIC, title: str = "Leaflet", version: str = "1") -> Document:
    return Document(
        id=id_,
        title=title,
        path=f"/documents/{id_}.md",
        collection=collection,
        content_hash=version,
        url=f"https://clinic.example/{id_}",
        effective=date(2026, 1, 31),
        review_by=date(2027, 1, 31),
    )


def passages(owner: Document, *texts: str) -> list[Passage]:
    return [
        Passage(
            id=f"{owner.id}#{ordinal}",
            document_id=owner.id,
            ordinal=ordinal,
            text=text,
            context="",
            headings=("Part", f"Section {ordinal}"),
            span=(10 * ordinal, 10 * ordinal + len(text)),
            place=f"page {ordinal + 1}",
            page=ordinal + 1,
        )
        for ordinal, text in enumerate(texts)
    ]


def hits(*texts: str) -> list[Hit]:
    """Passages with a context sentence, in the order in which they were found."""
    owner = Document("d", "Leaflet", "/d.md", PUBLIC, "hash")
    return [
        Hit(Passage(f"d#{n}", "d", n, text, "From “Leaflet”.", (), (0, len(text))), owner, 1 / n, n, n)
        for n, text in enumerate(texts, start=1)
    ]


async def put(index: Index, owner: Document, *texts: str) -> list[Passage]:
    made = passages(owner, *texts)
    await index.replace(owner, made)
    return made


async def embed_all(index: Index, embedder: HashEmbedder) -> None:
    while waiting := await index.unembedded(100):
        vectors = await embedder.embed_passages([one.search_text for one in waiting])
        await index.add_vectors([one.id for one in waiting], vectors)
