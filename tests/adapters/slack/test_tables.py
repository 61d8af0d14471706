"""Tables of documents stay readable in Slack."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.blocks import passage
from adapters.slack.tables import WIDEST, stretches
from retrieval.document import Document, Passage
from retrieval.evidence import Hit

TABLE = "| Day | Opens |\n|---|:---:|\n| Monday | 9 am |\n| Tue | 10.30 am |"
SHOWN = "Day    | Opens\n-------+---------\nMonday | 9 am\nTue    | 10.30 am"


def shown(text: str) -> list[tuple[str, bool]]:
    return [(one.text, one.is_table) for one in stretches(text)]


def test_a_tables_columns_stand_under_each_other() -> None:
    assert shown(f"Before.\n\n{TABLE}\n\nAfter.") == [("Before.", False), (SHOWN, True), ("After.", False)]


def test_a_table_too_wide_to_align_and_a_lone_row_stay_as_they_are() -> None:
    wide = f"| {'word ' * 20}| b |\n|---|---|\n| c | d |"
    assert shown(wide) == [(wide, False)]
    assert shown("| no table |") == [("| no table |", False)]


def test_a_passage_is_shown_with_its_table_in_letters_of_one_width() -> None:
    document = Document("d", "Hours", "", "public", "")
    text = f"Opening hours:\n{TABLE}"
    hit = Hit(Passage("d#0", "d", 0, text, "", (), (0, len(text)), ""), document, 0.0, 1, 1)
    rich = next(block for block in passage(hit, 1).blocks if block["type"] == "rich_text")
    assert [(one["type"], one["elements"][0]["text"]) for one in rich["elements"]] == [
        ("rich_text_quote", "Opening hours:"),
        ("rich_text_preformatted", SHOWN),
    ]


@given(st.text(alphabet="ab |-:\n\\1日", max_size=80))
def test_no_word_is_lost_or_changed_and_no_line_of_a_table_is_wider_than_may_be(text: str) -> None:
    def letters(some: str) -> str:
        return "".join(one for one in some if one in "ab1日")

    found = list(stretches(text))
    assert letters("".join(one.text for one in found)) == letters(text)
    assert all(len(line) <= WIDEST for one in found if one.is_table for line in one.text.split("\n"))
