"""Hypothetical document embeddings: a made-up answer lies nearer to the true one than its question does.

What is made up may be false. It is embedded and dropped: it stands in no type that leaves this module, so no evidence,
answer, trace, log or memory can hold it. Source: Gao, Ma, Lin and Callan, ACL 2023.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from retrieval.embed import Embedder, Vector
    from retrieval.stages import Stages


class HypotheticalWriter(Protocol):
    """Makes a passage up."""

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        ...

    async def passage(self, question: str) -> str | None:
        """A few sentences as a document might answer the question, right or wrong; None if it declines to write any.

        RetrievalError if it cannot.
        """
        ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """The question's own vector, by which hits are compared, and the one to search with; `lacking` says why none."""

    question: Vector | None
    search: Vector | None
    lacking: str | None = None


async def embedded(
    embedder: Embedder, question: str, stages: Stages, *, writer: HypotheticalWriter | None = None
) -> Vectors:
    """The question embedded, and with a writer what lies midway between it and a made-up passage to search with.

    The passage is written while the question is embedded. Where it fails or is late, the question alone is searched;
    where the question's vector fails, the passage is not waited for.
    """
    async with asyncio.TaskGroup() as group:
        writing = group.create_task(_made_up(embedder, writer, question, stages)) if writer is not None else None
        began = stages.clock()
        vector, failure = await stages.attempt("embedder", embedder.embed_query(question))
        stages.add("embed", embedder.name, began, int(vector is not None), failure)
        if writing is not None and vector is None:
            writing.cancel()
    if vector is None or writing is None or (made_up := writing.result()) is None:
        return Vectors(vector, vector, failure)
    return Vectors(vector, _midway(vector, made_up))


async def _made_up(embedder: Embedder, writer: HypotheticalWriter, question: str, stages: Stages) -> Vector | None:
    """The vector of a made-up passage, None where there is none."""

    async def made_up() -> Vector | None:
        passage = await writer.passage(question)
        return (await embedder.embed_passages([passage]))[0] if passage else None

    began = stages.clock()
    vector, failure = await stages.attempt("hyde", made_up())
    degraded = failure or ("hyde-declined" if vector is None else None)
    stages.add("hyde", writer.name, began, int(vector is not None), degraded)
    return vector


def _midway(one: Vector, other: Vector) -> Vector:
    """The mean of two unit vectors, made one again; the first where they cancel out."""
    mean = one + other
    length = float(mean @ mean) ** 0.5
    return mean / length if length > 0 else one


class ScriptedWriter:
    """A fake: writes the passage it is given, or declines with None. Remembers what it was asked."""

    name = "scripted"

    def __init__(self, passage: str | None) -> None:
        self._passage = passage
        self.asked: list[str] = []

    async def passage(self, question: str) -> str | None:
        """What the script says."""
        self.asked.append(question)
        return self._passage
