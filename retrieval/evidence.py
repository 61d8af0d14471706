"""What a search returns: hits, each with how it was found, and one grade for them all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from retrieval.document import Document, Passage

FoundBy = Literal["keyword", "vector"]


@dataclass(frozen=True, slots=True)
class Query:
    """A question on its way to the index.

    `original` is what the person typed, `standalone` the same question made to stand alone. What a search makes of it
    on the way, a made-up passage or other words, is not kept: evidence holds its query and goes to answerers.
    """

    original: str
    standalone: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage found. Ranks count from 1; a list that did not hold the passage gives None.

    `score` is that of the last stage that put it in order (comparable with those of the same stage and search only);
    without a reranker, `rank_before_rerank` is the same as `rank`. `cosine` is the similarity of passage and
    question in [-1, 1] where vectors were searched, whatever was searched with beside the question.
    """

    passage: Passage
    document: Document
    score: float
    rank: int
    rank_before_rerank: int
    keyword_rank: int | None = None
    vector_rank: int | None = None
    cosine: float | None = None

    @property
    def locator(self) -> str:
        """Where in its document a person finds it: its place, then its innermost heading if that is not the title."""
        headings = [heading for heading in self.passage.headings if heading != self.document.title]
        return " · ".join(part for part in (self.passage.place, *headings[-1:]) if part)

    @property
    def found_by(self) -> tuple[FoundBy, ...]:
        """The lists that held it; both means that words and meaning agree."""
        ranks: tuple[tuple[FoundBy, int | None], ...] = (
            ("keyword", self.keyword_rank),
            ("vector", self.vector_rank),
        )
        return tuple(name for name, rank in ranks if rank is not None)

    def as_json(self) -> dict[str, Any]:
        """The hit as commands print it; the names are stable."""
        return {
            "id": self.passage.id,
            "document": self.document.id,
            "title": self.document.title,
            "url": self.document.url,
            "path": self.document.path,
            "collection": self.document.collection,
            "locator": self.locator,
            "page": self.passage.page,
            "headings": list(self.passage.headings),
            "text": self.passage.text,
            "score": self.score,
            "cosine": self.cosine,
            "found_by": list(self.found_by),
            "rank": self.rank,
            "rank_before_rerank": self.rank_before_rerank,
            "keyword_rank": self.keyword_rank,
            "vector_rank": self.vector_rank,
        }


class Grade(StrEnum):
    """Whether the evidence can carry an answer, judged on the best passage."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage of a search did, for the trace: the backend that really ran, its time, and counts, never text.

    `degraded` says in a word why a better backend did not run ("embedder-failed", "reranker-slow"); None if it did.
    """

    name: str
    backend: str
    milliseconds: float
    returned: int
    degraded: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that may be said in this turn. `best` in [0, 1] is the strength of the best hit, 0 without hits.

    `scope` is what was searched: whoever judges by other passages than the hits may look at no more.
    """

    query: Query
    hits: tuple[Hit, ...]
    grade: Grade
    best: float
    stages: tuple[Stage, ...] = ()
    scope: Scope = EVERYTHING

    def as_json(self) -> dict[str, Any]:
        """The evidence as commands print it; the names are stable."""
        return {
            "grade": self.grade.value,
            "best": self.best,
            "hits": [hit.as_json() for hit in self.hits],
            "stages": [
                {"stage": s.name, "backend": s.backend, "ms": round(s.milliseconds, 2), "degraded": s.degraded}
                for s in self.stages
            ],
        }
