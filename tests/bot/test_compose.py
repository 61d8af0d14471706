"""Markers and sources come from checked data, in the order of the text."""

from __future__ import annotations

from bot.answer import Fact, Sentence
from bot.compose import compose
from bot.verify import verify
from tests.bot.evidence import evidence, hit

ONE = hit(
    "Open on Tuesdays. Closed in May. Bring a card.", title="Hours", headings=("Opening",), url="https://a.example"
)
TWO = hit("You need:\n- a card\n- a pen", n=2, title="Packing")


def composed(*sentences: Sentence) -> tuple[str, list[tuple[int, str]]]:
    text, sources = compose(verify(Fact(sentences), evidence(ONE, TWO)).statements)
    return text, [(source.n, source.quote) for source in sources]


def test_one_marker_closes_each_run_of_one_passage() -> None:
    text, sources = composed(
        Sentence("Open on Tuesdays.", "doc1#1", "Open on Tuesdays."),
        Sentence("Bring a card.", "doc1#1", "Bring a card."),
        Sentence("You need a pen.", "doc2#1", "a pen"),
    )
    assert text == "Open on Tuesdays. Bring a card. [1] You need a pen. [2]"
    assert sources == [(1, "Open on Tuesdays. Closed in May. Bring a card."), (2, "a pen")]


def test_numbers_follow_first_use_not_rank() -> None:
    _, sources = composed(Sentence("A pen.", "doc2#1", "a pen"), Sentence("A card.", "doc1#1", "Bring a card"))
    assert sources == [(1, "a pen"), (2, "Bring a card")]


def test_list_items_stand_on_their_own_lines() -> None:
    text, _ = composed(
        Sentence("You need:", "doc2#1", "You need:"),
        Sentence("- a card", "doc2#1", "- a card"),
        Sentence("- a pen", "doc2#1", "- a pen"),
        Sentence("Open on Tuesdays.", "doc1#1", "Open on Tuesdays."),
    )
    assert text == "You need:\n- a card\n- a pen [1]\n\nOpen on Tuesdays. [2]"


def test_a_source_is_the_index_s_own_record() -> None:
    statements = verify(Fact((Sentence("Open.", "doc1#1", "Open on Tuesdays"),)), evidence(ONE)).statements
    (source,) = compose(statements)[1]
    assert (source.id, source.title, source.url, source.locator) == ("doc1#1", "Hours", "https://a.example", "Opening")
    assert (source.found_by, source.rank, source.rank_before_rerank) == (("keyword", "vector"), 1, 1)


def test_nothing_makes_nothing() -> None:
    assert compose(()) == ("", ())
