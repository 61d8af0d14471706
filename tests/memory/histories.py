"""Turns to remember: single ones by name, and random histories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memory.conversation import Conversation
from memory.turn import Source, Turn, TurnKind

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
THREAD = Conversation("slack", "T1", "C1", "100.1")
SIBLING = Conversation("slack", "T1", "C1", "200.2")
ELSEWHERE = Conversation("slack", "T1", "C2", "100.1")


def a_source(n: int = 1, *, quote: str = "Open on Tuesdays.", url: str | None = "https://clinic.example/flu") -> Source:
    return Source(
        n=n,
        id=f"flu#{n}",
        title="Flu clinic",
        url=url,
        locator=f"page {n}",
        quote=quote,
        found_by=("keyword", "vector"),
        rank=n,
        rank_before_rerank=n + 3,
    )


def a_turn(
    message: str = "m1",
    *,
    conversation: Conversation = THREAD,
    author: str = "ada",
    kind: TurnKind = TurnKind.FACT,
    minutes: float = 0,
    text: str = "On Tuesdays [1].",
    sources: tuple[Source, ...] = (),
) -> Turn:
    wordless = kind is TurnKind.CRISIS
    return Turn(
        conversation=conversation,
        author=author,
        kind=kind,
        at=NOON + timedelta(minutes=minutes),
        message=message,
        trace_id=f"trace-{message}",
        question="" if wordless else f"question {message}",
        standalone="" if wordless else f"standalone {message}",
        text="" if wordless else text,
        sources=sources,
    )


kinds = st.sampled_from(TurnKind)
texts = st.text(st.characters(), max_size=40)
"""Any text at all, lone surrogates and NUL included."""


@st.composite
def turns(draw: st.DrawFn, *conversations: Conversation) -> Turn:
    kind = draw(kinds)
    wordless = kind is TurnKind.CRISIS
    return Turn(
        conversation=draw(st.sampled_from(conversations or (THREAD,))),
        author=draw(st.sampled_from(["ada", "ben"])),
        kind=kind,
        at=NOON + timedelta(seconds=draw(st.integers(0, 20))),
        message=draw(st.sampled_from([f"m{number}" for number in range(8)])),
        trace_id=f"trace-{draw(st.integers(0, 10**6))}",
        question="" if wordless else draw(texts),
        standalone="" if wordless else draw(texts),
        text="" if wordless else draw(texts),
        sources=() if wordless else tuple(a_source(n + 1, quote=draw(texts)) for n in range(draw(st.integers(0, 2)))),
    )


histories = st.lists(turns(THREAD, SIBLING, ELSEWHERE), max_size=15)
