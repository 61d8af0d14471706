"""What a person at a terminal sees."""

from __future__ import annotations

from adapters.console import rendered
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording

WORDS = wording()
SOURCE = Source(
    1, "d#1", "Flu clinic", "https://larkfield.example/flu", "page 2", "Open on\nTuesdays.", ("keyword", "vector"), 1, 1
)


def test_an_answer_stands_before_its_sources_and_its_confidence() -> None:
    shown = rendered(Reply(TurnKind.FACT, "Open on Tuesdays. [1]", "t", (SOURCE,), confidence=0.9), WORDS)
    assert shown.splitlines() == [
        "Open on Tuesdays. [1]",
        "",
        "[1] Flu clinic · page 2 · found by words and meaning",
        "    “Open on Tuesdays.”",
        "    https://larkfield.example/flu",
        "",
        "Strong match in the documents",
    ]


def test_lines_stand_outside_an_answer_about_self_harm() -> None:
    resource = Resource("Samaritans", phone="116 123", hours="24 hours")
    shown = rendered(Reply(TurnKind.FACT, "Signs include ...", "t", resources=(resource,)), WORDS)
    assert f"{WORDS.crisis.mention}\n  Samaritans · 116 123 · 24 hours" in shown


def test_a_crisis_reply_says_its_lines_once_and_without_markup() -> None:
    resource = Resource("Samaritans", phone="116 123")
    shown = rendered(
        Reply(TurnKind.CRISIS, "Please call:\n- **Samaritans**: 116 123", "t", resources=(resource,)), WORDS
    )
    assert shown == "Please call:\n- Samaritans: 116 123"


def test_long_lines_are_wrapped_and_long_quotes_cut() -> None:
    source = Source(1, "d#1", "T", None, "", "word " * 200, ("keyword",), 1, 1)
    shown = rendered(Reply(TurnKind.FACT, "word " * 60, "t", (source,), confidence=0.1), WORDS, width=60)
    assert max(map(len, shown.splitlines())) <= 60
    assert "…" in shown
