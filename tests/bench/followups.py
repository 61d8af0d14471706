"""How well follow-ups are understood without a model: what is found after rewriting, and what is left alone.

Conversations are parted by a hash of their ids. The rules were written looking at one half; the figures that are to be
reached are of the other.
"""

from __future__ import annotations

import hashlib
import json
from itertools import cycle
from typing import TYPE_CHECKING

from adapters.conversations import Listener, figures, ratio
from bot.followup import RuleRewriter, standalone
from retrieval.conversation_file import read_conversations
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import CORPUS, PROGRESS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from adapters.conversations import Understood
    from retrieval.conversation_file import Talk
    from tests.bench.sets import Sets

HALVES = ("looked at", "set aside")
MEASURED = "medquad_followups.jsonl"
"""Conversations on the corpus, each question with the section that answers it."""
REAL = "conversations.jsonl"
"""What people and annotators typed, on any subject, with gold rewritings and no passages."""
_RECALLS = {
    "recall@20_gold": "gold rewriting",
    "recall@20_rewritten": "rewritten by rules",
    "recall@20_typed": "as typed",
}


def half(key: str) -> str:
    """Which half a conversation or a question is in."""
    return HALVES[hashlib.sha256(key.encode()).digest()[0] % 2]


async def measured(sets: Sets) -> list[Table]:
    """Recall by half; what is left alone; the goals."""
    folder = sets.data / "multiturn"
    app = await sets.opened(CORPUS)
    listener = Listener(app.index, app.searcher, RuleRewriter(), app.engine.pipeline)
    talks = {name: read_conversations([folder / name]) for name in (MEASURED, REAL)}
    heard: dict[tuple[str, str], list[Understood]] = {}
    for name, some in talks.items():
        for one in HALVES:
            PROGRESS.print(f"{name}, {one}")
            chosen = [talk for talk in some if half(talk.id) == one]
            heard[name, one] = await listener.hear(chosen, on_progress=lambda _done, _of: None)
    await app.close()
    return [
        _recall({one: heard[MEASURED, one] for one in HALVES}),
        _alone({one: heard[REAL, one] for one in HALVES}, talks[MEASURED], sets.data),
        goals([_reached(heard[MEASURED, HALVES[1]])]),
    ]


def _recall(heard: dict[str, list[Understood]]) -> Table:
    rows = []
    for one, some in heard.items():
        found = figures(some)
        cells = [f"{found[name].value:.3f}" if name in found else "-" for name in _RECALLS]
        rows.append((one, str(sum(not each.stands_alone for each in some)), *cells, f"{ratio(found) or 0:.3f}"))
    return Table("Follow-ups, recall@20 of the gold sections", ("half", "questions", *_RECALLS.values(), "ratio"), rows)


def _alone(real: dict[str, list[Understood]], talks: Sequence[Talk], data: Path) -> Table:
    """The share changed of questions that stand alone, whatever was asked before them."""
    rows = []
    for one in HALVES:
        before = [_as_rewritten(talk) for talk in talks if half(talk.id) == one]
        openings = [talk.said[0].text for talk in talks if half(talk.id) == one]
        marked = [each for each in real[one] if each.stands_alone and each.turn > 1]
        rows += [
            (one, "marked so by annotators, in their conversation", *_share([each.changed for each in marked])),
            (one, "first questions, after another conversation", *_changed([*openings[1:], *openings[:1]], before)),
            (one, "consumers' messages, after any conversation", *_changed(_messages(data, one), before)),
        ]
    columns = ("half", "questions", "number", "changed", "share")
    return Table("Questions that stand alone, and were changed all the same", columns, rows)


def _as_rewritten(talk: Talk) -> list[str]:
    earlier: list[str] = []
    for said in talk.said:
        earlier.append(standalone(said.text, earlier))
    return earlier


def _changed(questions: Sequence[str], before: Sequence[Sequence[str]]) -> tuple[str, str, str]:
    asked = zip(questions, cycle(before), strict=False)
    return _share([standalone(question, earlier) != question for question, earlier in asked])


def _share(changed: Sequence[bool]) -> tuple[str, str, str]:
    return str(len(changed)), str(sum(changed)), f"{sum(changed) / max(1, len(changed)):.1%}"


def _messages(data: Path, one: str) -> list[str]:
    rows = map(json.loads, (data / "retrieval_eval" / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["text"] for row in rows if half(row["qid"]) == one]


def _reached(heard: Sequence[Understood]) -> Goal:
    reached = ratio(figures(heard)) or 0.0
    wanted = "Follow-ups without a model: recall@20 at least 80 % of the gold rewriting's (set aside)"
    return Goal(wanted, f"{reached:.1%}", reached >= 0.8)
