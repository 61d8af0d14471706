"""An index in memory, for tests and for trying things out."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import IndexMismatch
from retrieval.evidence import Hit
from retrieval.fusion import fuse
from retrieval.index import IndexStatus
from retrieval.terms import phrases, stem, words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.terms import Phrase

_K1, _B = 1.2, 0.75


@dataclass(slots=True)
class _Stems:
    """The stems of a text, in order."""

    stems: list[str]
    counts: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = Counter(self.stems)

    @classmethod
    def of(cls, *texts: str) -> _Stems:
        """Of several texts, one after the other."""
        return cls([stem(word) for word in words("\n".join(texts))])

    def count(self, run: tuple[str, ...]) -> int:
        """How often the run of stems stands in it."""
        if len(run) == 1:
            return self.counts[run[0]]
        if any(part not in self.counts for part in run):
            return 0
        return sum(tuple(self.stems[at : at + len(run)]) == run for at in range(len(self.stems)))


@dataclass(slots=True)
class _Entry:
    """One passage with its document, what words may find it by, and its vector once there is one."""

    passage: Passage
    document: Document
    vector: Vector | None = None
    whole: _Stems = field(init=False)
    bare: _Stems = field(init=False)

    def __post_init__(self) -> None:
        title, passage = self.document.title, self.passage
        self.whole = _Stems.of(title, passage.context, passage.text)
        self.bare = _Stems.of(title, passage.text)

    def stems(self, *, context: bool) -> _Stems:
        """Its words, with its context or without."""
        return self.whole if context else self.bare


class RamIndex:
    """The index port over a dictionary: BM25 over the same words and identifiers as the real one, exact cosine.

    Thinner than `SqliteIndex`: it forgets with the process, title and text weigh the same, every search
    reads every passage (fit for hundreds of them), and the model's name is not kept, only the vectors' size.
    """

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._entries: dict[str, _Entry] = {}

    @property
    def name(self) -> str:
        """`ram`."""
        return "ram"

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Put a document in, whole, in place of any version with the same id."""
        kept = {_digest(e.passage): e.vector for e in self._entries.values() if e.document.id == document.id}
        await self.remove([document.id])
        self._documents[document.id] = document
        for passage in passages:
            self._entries[passage.id] = _Entry(passage, document, kept.get(_digest(passage)))

    async def remove(self, document_ids: Collection[str]) -> None:
        """Take documents out with their passages and vectors."""
        gone = set(document_ids)
        self._documents = {id_: document for id_, document in self._documents.items() if id_ not in gone}
        self._entries = {id_: entry for id_, entry in self._entries.items() if entry.document.id not in gone}

    async def catalogue(self, collection: str | None = None) -> Sequence[Document]:
        """Every document's record, by id."""
        chosen = [d for d in self._documents.values() if collection is None or d.collection == collection]
        return sorted(chosen, key=lambda document: document.id)

    async def expect(
        self,
        words: str,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> None:
        """Nothing is done before the search."""

    async def search(
        self,
        words: str,
        vector: Vector | None,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> Sequence[Hit]:
        """The `k` best passages, fused by rank."""
        seen = self._seen(collections, today)
        cosines = _cosines(seen, vector)
        by_meaning = sorted(cosines, key=lambda id_: (-cosines[id_], id_))
        hits: dict[str, Hit] = {}
        for fused in fuse(words, _by_words(words, seen, context=context), by_meaning):
            entry = self._entries[fused.id]
            hit = fused.hit(entry.passage, entry.document, len(hits) + 1, cosines.get(fused.id))
            hits.setdefault(" ".join(entry.passage.text.split()), hit)
        return list(hits.values())[: max(k, 0)]

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, in the order given."""
        found = [self._entries[id_] for id_ in dict.fromkeys(ids) if id_ in self._entries]
        seen = [e for e in found if collections is None or e.document.collection in collections]
        return [Hit(e.passage, e.document, 0.0, rank, rank) for rank, e in enumerate(seen, start=1)]

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """The similarity of each passage that has a vector with this one."""
        return _cosines([self._entries[id_] for id_ in ids if id_ in self._entries], vector)

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order."""
        found = [e.passage for e in self._entries.values() if e.document.id == document_id]
        return sorted(found, key=lambda passage: passage.ordinal)

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands."""
        seen = self._seen(collections, today)
        return len(seen), {term: _frequency(term, seen) for term in terms}

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Up to `limit` passages that wait for a vector."""
        return [e.passage for e in self._entries.values() if e.vector is None][:limit]

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row an id. IndexMismatch if the size is another than that of the vectors held."""
        held = self._dimensions()
        if held is not None and vectors.shape[1] != held:
            msg = f"The index holds vectors of {held} numbers, these have {vectors.shape[1]}."
            raise IndexMismatch(msg)
        for id_, row in zip(ids, vectors, strict=True):
            if id_ in self._entries:
                self._entries[id_].vector = row

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with."""
        for passage in passages:
            entry = self._entries.get(passage.id)
            if entry is None or (entry.passage.text, entry.passage.about) != (passage.text, passage.about):
                continue
            if entry.passage.context != passage.context:
                placed = replace(entry.passage, context=passage.context)
                self._entries[passage.id] = _Entry(placed, entry.document)

    async def status(self) -> IndexStatus:
        """What it holds."""
        return IndexStatus(
            documents=len(self._documents),
            passages=len(self._entries),
            embedded=sum(e.vector is not None for e in self._entries.values()),
            model=None,
            dimensions=self._dimensions(),
            collections=Counter(d.collection for d in self._documents.values()),
        )

    async def close(self) -> None:
        """Nothing to let go of."""

    def _dimensions(self) -> int | None:
        return next((len(e.vector) for e in self._entries.values() if e.vector is not None), None)

    def _seen(self, collections: Collection[str] | None, today: date | None) -> list[_Entry]:
        """Of these collections, None meaning all, and of documents that hold on this day."""
        return [
            e
            for e in self._entries.values()
            if (collections is None or e.document.collection in collections)
            and (today is None or e.document.holds(today))
        ]


def _frequency(term: str, entries: Sequence[_Entry]) -> int:
    return sum(entry.whole.count((term,)) > 0 for entry in entries)


def _by_words(text: str, entries: Sequence[_Entry], *, context: bool) -> list[str]:
    """The ids of passages that hold any word searched for, best first."""
    if not entries:
        return []
    found: dict[str, None] = {}
    for some in phrases(text, lambda term: _frequency(term, entries) / len(entries)):
        found |= dict.fromkeys(_ranked(some, entries, context=context))
    return list(found)


def _ranked(some: Sequence[Phrase], entries: Sequence[_Entry], *, context: bool) -> list[str]:
    """The ids of passages that hold any of the phrases, highest BM25 first."""
    total = len(entries)
    all_stems = [entry.stems(context=context) for entry in entries]
    mean = sum(len(one.stems) for one in all_stems) / total
    scores: dict[str, float] = defaultdict(float)
    for phrase in some:
        run = tuple(stem(word) for word in phrase)
        frequency = sum(one.count(run) > 0 for one in all_stems)
        weight = math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for entry, own in zip(entries, all_stems, strict=True):
            if count := own.count(run):
                longness = 1 - _B + _B * len(own.stems) / mean
                scores[entry.passage.id] += weight * count * (_K1 + 1) / (count + _K1 * longness)
    return sorted(scores, key=lambda id_: (-scores[id_], id_))


def _digest(passage: Passage) -> tuple[str, str]:
    return passage.context, passage.text


def _cosines(entries: Sequence[_Entry], vector: Vector | None) -> dict[str, float]:
    if vector is None:
        return {}
    return {e.passage.id: float(np.dot(e.vector, vector)) for e in entries if e.vector is not None}
