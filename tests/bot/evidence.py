"""Evidence for tests, in one line each."""

from __future__ import annotations

from retrieval.document import Document, Passage
from retrieval.evidence import Evidence, Grade, Hit, Query


def hit(
    text: str, *, n: int = 1, title: str = "Leaflet", headings: tuple[str, ...] = (), url: str | None = None
) -> Hit:
    """The hit at rank `n`, with a document and a passage of its own."""
    document = Document(
        id=f"doc{n}", title=title, path=f"/doc{n}.md", collection="public", content_hash=str(n), url=url
    )
    passage = Passage(f"doc{n}#1", document.id, 1, text, title, headings, (0, len(text)))
    return Hit(passage, document, 1 / n, rank=n, rank_before_rerank=n, keyword_rank=n, vector_rank=n, cosine=0.5)


def evidence(*hits: Hit, question: str = "What?", best: float = 0.9) -> Evidence:
    """Correct evidence of these hits."""
    return Evidence(Query(question, question), hits, Grade.CORRECT, best)
