"""Puts questions with known answers to the engine, as people would, and keeps what became of each."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from adapters.app import utc_now
from adapters.console import message
from bot.errors import Permanent
from bot.messages import TurnKind
from bot.turn import Memories
from memory.ram import RamMemory
from retrieval.document_names import AmbiguousName, DocumentNames
from retrieval.evidence import Query
from retrieval.question_file import BadQuestions
from retrieval.rerank import RERANKED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bot.answer import Answer
    from bot.answerer import Answerer, Hear
    from bot.messages import Reply
    from bot.trace import Span, Trace
    from bot.turn import Engine
    from bot.turn_record import TurnRecord
    from memory.replay import Said
    from retrieval.document import Document
    from retrieval.evidence import Evidence
    from retrieval.question_file import Question


@dataclass(frozen=True, slots=True)
class Posed:
    """A question for one index: `grades` holds the documents that answer it, by their ids there."""

    id: str
    text: str
    grades: Mapping[str, int]
    judged: bool = True

    @property
    def answerable(self) -> bool | None:
        """Whether any document answers it; None while nobody has judged that."""
        return bool(self.grades) if self.judged else None


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a question.

    `ranking` has the documents that were found, by the best passage of each; `strength` is None where nothing was
    searched (a greeting, a crisis). `cited` are the documents that the reply names.
    """

    posed: Posed
    kind: TurnKind
    ranking: tuple[str, ...]
    strength: float | None
    cited: frozenset[str]
    milliseconds: float
    spans: tuple[Span, ...]

    @property
    def answered(self) -> bool:
        """Whether it was answered from documents, right or not."""
        return self.kind is TurnKind.FACT

    @property
    def declined(self) -> bool:
        """Whether the person was told that there is no answer here."""
        return self.kind in {TurnKind.UNGROUNDED, TurnKind.REFUSAL}

    @property
    def right(self) -> bool:
        """Whether it was answered from a document that answers it."""
        return self.answered and not self.cited.isdisjoint(self.posed.grades)


def pose(questions: Iterable[Question], documents: Iterable[Document]) -> tuple[list[Posed], list[str]]:
    """The questions with their documents' ids in this index, and a line for each document that is not there.

    A question of whose documents none is there is left out: this index can neither answer nor decline it rightly.
    Errors: BadQuestions, for a name that several documents share, or if of all answerable questions none is left.
    """
    names = DocumentNames(documents)
    posed, missing, answerable = [], [], 0
    for question in questions:
        grades: dict[str, int] = {}
        for name, grade in question.grades.items():
            try:
                found = names.find(name)
            except AmbiguousName as error:
                msg = f"{question.where}: {error}."
                raise BadQuestions(msg) from None
            if found is None:
                missing.append(f"{question.where}: no document {name!r} in the index")
            else:
                grades[found.id] = max(grade, grades.get(found.id, 0))
        answerable += bool(question.answerable)
        if grades or not question.answerable:
            posed.append(Posed(question.id, question.text, grades, question.judged))
    if answerable and not any(one.answerable for one in posed):
        msg = f"No document that answers a question is in the index; ingest them first. {missing[0]}."
        raise BadQuestions(msg)
    return posed, missing


def sample(posed: Sequence[Posed], limit: int) -> list[Posed]:
    """So many of them, in their order, always the same and with no regard to it."""
    drawn = sorted(posed, key=lambda one: sha256(f"{one.id}\n{one.text}".encode()).digest())[:limit]
    chosen = {id(one) for one in drawn}
    return [one for one in posed if id(one) in chosen]


def _untraced(_: TurnRecord) -> None:
    """What is asked to measure is nobody's turn, and counts among no others."""


async def ask_all(
    engine: Engine,
    posed: Sequence[Posed],
    *,
    on_progress: Callable[[int, int], None],
    check: Callable[[Trial], None] | None = None,
) -> list[Trial]:
    """Ask each in a conversation of its own, one after the other. Nothing is written down.

    The first is searched for once before, so that no figure holds the loading of a model or an index.
    Errors: Permanent, if every turn ends in an error; what `check` raises of a trial, and no more is asked then.
    """
    watcher = _Watcher()
    passages = engine.settings.passages
    watched = replace(
        engine,
        answerer=_FirstOnly(engine.answerer, passages),
        fallback=_FirstOnly(engine.fallback, passages),
        memories=Memories(RamMemory(), RamMemory()),
        settings=replace(engine.settings, passages=max(RERANKED, passages)),
        observe=watcher.observe,
        keep=_untraced,
    )
    for one in posed[:1]:
        await engine.searcher.search(Query(one.text, one.text), pipeline=engine.pipeline)
    trials = []
    for number, one in enumerate(posed):
        on_progress(number, len(posed))
        watcher.forget()
        incoming = message(one.text, id_=str(number), thread=str(number), at=utc_now())
        began = time.perf_counter()
        reply = await watched.respond(incoming)
        trials.append(watcher.trial(one, reply, (time.perf_counter() - began) * 1000))
        if check:
            check(trials[-1])
    if trials and all(one.kind is TurnKind.ERROR for one in trials):
        raise Permanent("Every question ended in an error; CITEWELL_LOG_LEVEL=INFO shows where.")
    on_progress(len(posed), len(posed))
    return trials


class _Watcher:
    """Keeps what the engine found for the question in hand."""

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._evidence: Evidence | None = None

    def forget(self) -> None:
        self._trace = self._evidence = None

    def observe(self, trace: Trace, evidence: Evidence) -> None:
        self._trace, self._evidence = trace, evidence

    def trial(self, posed: Posed, reply: Reply, milliseconds: float) -> Trial:
        hits = self._evidence.hits if self._evidence else ()
        documents = {hit.passage.id: hit.document.id for hit in hits}
        return Trial(
            posed=posed,
            kind=reply.kind,
            ranking=tuple(dict.fromkeys(documents.values())),
            strength=self._evidence.best if self._evidence else None,
            cited=frozenset(documents[source.id] for source in reply.sources if source.id in documents),
            milliseconds=milliseconds,
            spans=tuple(self._trace.spans) if self._trace else (),
        )


@dataclass(frozen=True, slots=True)
class _FirstOnly:
    """An answerer that is given as many passages as people's questions give it, though more were searched for."""

    answerer: Answerer
    passages: int

    @property
    def name(self) -> str:
        return self.answerer.name

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        given = replace(evidence, hits=evidence.hits[: self.passages])
        return await self.answerer.answer(question, given, history, hear)
