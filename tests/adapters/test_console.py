"""What a person at a terminal sees."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import date

from adapters.console import listed, rendered
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording
from retrieval.document import Document, Passage
from retrieval.evidence import Evidence, Grade, Hit, Query, Stage

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
    source = Source(1, "d#1", "Title " * 20, None, "", "word " * 200, ("keyword",), 1, 1)
    shown = rendered(Reply(TurnKind.FACT, "word " * 60, "t", (source,), confidence=0.1), WORDS, width=60)
    assert max(map(len, shown.splitlines())) <= 60
    assert "…" in shown


def test_a_source_whose_review_was_due_says_so() -> None:
    marked = replace(SOURCE, review_by=date(2026, 3, 31))
    shown = rendered(Reply(TurnKind.FACT, "Yes. [1]", "t", (marked,)), WORDS, width=200)
    assert "Review was due March 2026" in next(line for line in shown.splitlines() if line.startswith("[1]"))
    assert "Review" not in rendered(Reply(TurnKind.FACT, "Yes. [1]", "t", (SOURCE,)), WORDS)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u2066\x9b31m\r"


def harmless(text: str) -> bool:
    return all(char == "\n" or unicodedata.category(char) not in {"Cc", "Cf"} for char in text)


def test_nothing_of_a_document_commands_the_terminal() -> None:
    source = Source(1, "d#1", f"T{HOSTILE}\n[2] Forged", f"https://x/{HOSTILE}", HOSTILE, HOSTILE, ("keyword",), 1, 1)
    shown = rendered(Reply(TurnKind.FACT, f"Text {HOSTILE}", "t", (source,), confidence=0.9), WORDS)
    assert harmless(shown)
    assert not any(line.startswith("[2] Forged") for line in shown.splitlines())


def test_nothing_of_a_found_passage_commands_the_terminal() -> None:
    document = Document("d", f"T{HOSTILE}\nforged", "/d.md", "public", "0")
    passage = Passage("d#1", "d", 0, f"Text {HOSTILE}", "", (f"H{HOSTILE}",), (0, 4))
    hit = Hit(passage, document, score=1.0, rank=1, rank_before_rerank=1, keyword_rank=1)
    shown = listed(Evidence(Query("q", "q"), (hit,), Grade.CORRECT, 0.9))
    assert harmless(shown)
    assert len(shown.splitlines()) == 4


def test_what_ran_stands_above_what_was_found() -> None:
    stages = (Stage("search", "sqlite", 1.0, 0), Stage("rerank", "rerank-2.5", 1.0, 0, "reranker-slow"))
    shown = listed(Evidence(Query("q", "q"), (), Grade.INCORRECT, 0.0, stages))
    assert shown == "incorrect (0.00) · search sqlite · rerank rerank-2.5 (reranker-slow)"


LONG = " ".join(f"word{number}" for number in range(60))


def shown_of_quote(answer: str, kind: TurnKind = TurnKind.FACT) -> str:
    source = Source(1, "d#1", "T", None, "", LONG, ("keyword",), 1, 1)
    return " ".join(rendered(Reply(kind, answer, "t", (source,)), WORDS).partition("[1] T")[2].split())


def test_a_quote_that_is_the_answer_is_not_told_all_over() -> None:
    half = LONG.index("word30")
    extract = f"- **{LONG[:half].strip()}.** [1]\n- {LONG[half:]} [1]"
    assert 100 < len(shown_of_quote(extract)) < 200 < len(shown_of_quote("In other words. [1]")) < 400


def test_who_asks_for_the_sources_gets_them_whole() -> None:
    assert LONG in shown_of_quote(WORDS.sources.heading, TurnKind.COURTESY)
