"""Whether what the documents cannot answer is refused, and nothing else: whole turns, without a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.app import utc_now
from adapters.console import message
from memory.turn import TurnKind
from scripts.public_sets import KINDS, WORDINGS
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import CORPUS, PROGRESS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.app import Application
    from scripts.public_sets import Question
    from tests.bench.sets import Sets

LEAST = 0.9


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and how the turn ended in which it was asked."""

    question: Question
    ended: TurnKind

    @property
    def refused(self) -> bool:
        """Whether the person was told that the documents do not have it."""
        return self.ended is TurnKind.UNGROUNDED


async def measured(sets: Sets) -> list[Table]:
    """The tables, of every question and of those on which nothing was fitted, and the goals."""
    app = await sets.opened(CORPUS)
    questions = [one for one in sets.asked(CORPUS) if one.group in {*WORDINGS, *KINDS}]
    PROGRESS.print(f"{CORPUS}: {len(questions)} questions, a turn each")
    asked = [await ask(app, question) for question in questions]
    await app.close()
    aside = [one for one in asked if not one.question.fitted]
    return [
        table("All questions", asked),
        table("Questions that nothing was fitted on", aside),
        goals(reached(asked, aside)),
    ]


async def ask(app: Application, question: Question) -> Asked:
    """The first turn of a conversation of its own, as a guest's, of whom nothing is kept."""
    thread = f"{question.group} {question.id}"
    reply = await app.respond(message(question.text, id_=thread, thread=thread, at=utc_now(), guest=True))
    return Asked(question, reply.kind)


def table(title: str, asked: Sequence[Asked]) -> Table:
    """How turns ended, a line each for questions with an answer, without one, and of each kind of those."""
    rows = []
    for name, groups in (
        ("answerable", WORDINGS),
        ("unanswerable", KINDS),
        *((f"- {kind.replace('_', ' ')}", (kind,)) for kind in KINDS),
    ):
        some = [one for one in asked if one.question.group in groups]
        ends = [sum(one.ended is kind for one in some) for kind in (TurnKind.FACT, TurnKind.UNGROUNDED)]
        rows.append((name, *map(str, (len(some), *ends, len(some) - sum(ends)))))
    return Table(title, ("questions", "all", "answered", "refused", "otherwise ended"), rows)


def precision_and_recall(asked: Sequence[Asked]) -> tuple[float, float]:
    """Of refused questions the share without an answer, and of questions without an answer the share refused."""
    right = sum(one.refused and not one.question.answerable for one in asked)
    refused = sum(one.refused for one in asked)
    unanswerable = sum(not one.question.answerable for one in asked)
    return right / max(1, refused), right / max(1, unanswerable)


def reached(asked: Sequence[Asked], aside: Sequence[Asked]) -> list[Goal]:
    """The figures that are to be reached on questions that nothing was fitted on, with those on all beside them."""
    figures = zip(("precision", "recall"), precision_and_recall(aside), precision_and_recall(asked), strict=True)
    return [
        Goal(f"Refusal, {name} at least {LEAST} (set aside)", f"{figure:.3f} ({every:.3f} on all)", figure >= LEAST)
        for name, figure, every in figures
    ]
