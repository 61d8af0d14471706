"""Reading PDF pages: order, running lines, tables, broken words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.load import Loaded, parse
from tests.retrieval import files

if TYPE_CHECKING:
    from tests.retrieval.files import Text

LEFT = [
    "Wash your hands with soap before",
    "every meal and after each visit to",
    "the ward, for twenty seconds or so,",
    "and dry them well on paper towels.",
    "Gel may take the place of soap here",
]
RIGHT = [
    "when hands look clean. Gloves are",
    "never a reason to leave out hand",
    "washing, and rings come off at the",
    "door of the ward, as the nurses say",
    "to each and every visitor who comes",
]


def lines(texts: list[str], x: float, top: float = 700) -> list[Text]:
    return [(x, top - 12 * number, text) for number, text in enumerate(texts)]


def passages(loaded: Loaded) -> str:
    return "\n".join(loaded.text[slice(*section.span)] for section in loaded.sections)


def test_two_columns_are_read_one_after_the_other() -> None:
    interleaved = [text for pair in zip(lines(LEFT, 50), lines(RIGHT, 320), strict=True) for text in pair]
    text = passages(parse("a.pdf", files.pdf(interleaved)))
    assert " ".join(LEFT) in text
    assert " ".join(RIGHT) in text
    assert text.index(LEFT[-1]) < text.index(RIGHT[0])


def test_running_lines_and_page_numbers_are_left_out_and_pages_kept() -> None:
    pages = [
        [(50, 780, "Hillside Clinic handbook"), (300, 20, f"Page {n} of 3"), (50, 600, f"Rule {word} holds for all.")]
        for n, word in enumerate(("one", "two", "three"), start=1)
    ]
    loaded = parse("a.pdf", files.pdf(*pages))
    assert [(section.page, section.place) for section in loaded.sections] == [(n, f"page {n}") for n in (1, 2, 3)]
    assert passages(loaded) == "Rule one holds for all.\nRule two holds for all.\nRule three holds for all."


def test_a_line_that_stands_once_at_the_top_stays() -> None:
    loaded = parse("a.pdf", files.pdf([(50, 780, "Opening hours change in May."), (50, 700, "Ask at the desk.")]))
    assert "Opening hours change in May." in passages(loaded)


def test_line_numbers_are_left_out() -> None:
    words = [f"The clinic keeps rule number {word} for good." for word in "abcdefghijkl"]
    page = [(40.0, y, str(n)) for n, (_, y, _) in enumerate(lines(words, 90), start=117)]
    text = passages(parse("a.pdf", files.pdf([*page, *lines(words, 90)])))
    assert "117" not in text
    assert "rule number a for good. The clinic" in text


def test_words_broken_at_a_line_end_are_mended() -> None:
    text = passages(
        parse(
            "a.pdf",
            files.pdf(
                lines(
                    [
                        "The vaccina-",
                        "tion clinic gives alcohol-",
                        "based gel. Any alcohol and a",
                        "soap-based wash do.",
                    ],
                    50,
                )
            ),
        )
    )
    assert "The vaccination clinic" in text
    assert "alcohol-based gel" in text


def test_a_ruled_table_keeps_each_row_together() -> None:
    rules = [(50.0, y, 450.0, y) for y in (720, 690, 650, 620)] + [(x, 620.0, x, 720.0) for x in (50, 250, 450)]
    page = [
        (60, 700, "Reason"), (260, 700, "What to do"),
        (60, 675, "Fever above"), (260, 675, "Call the clinic"), (60, 662, "38.5 degrees"), (260, 662, "on 555-0100."),
        (60, 630, "Rash"), (260, 630, "Wait a day."),
    ]  # fmt: skip
    loaded = parse("a.pdf", files.pdf(page, rules=rules))
    assert passages(loaded).splitlines() == [
        "Reason | What to do",
        "Fever above 38.5 degrees | Call the clinic on 555-0100.",
        "Rash | Wait a day.",
    ]
    assert loaded.sections[0].columns == ("Reason", "What to do")


def test_a_table_without_lines_keeps_each_row_together() -> None:
    rows = [
        ["Age", "Vaccine", "Dose"],
        ["1 year", "MMR", "0.5 mL"],
        ["3 years", "Flu", "0.25 mL"],
        ["65", "Zoster", "0.5 mL"],
    ]
    page = [(x, 700 - 14 * n, cell) for n, row in enumerate(rows) for x, cell in zip((50, 200, 350), row, strict=True)]
    assert passages(parse("a.pdf", files.pdf(page))).splitlines() == [" | ".join(row) for row in rows]


def test_a_sentence_that_runs_over_a_page_stands_whole_where_it_begins() -> None:
    loaded = parse(
        "a.pdf",
        files.pdf(
            [(50, 700, "First sentence. The second sentence runs")],
            [(50, 700, "over the page. A third one stands here.")],
        ),
    )
    texts = {section.page: loaded.text[slice(*section.span)] for section in loaded.sections}
    assert texts == {
        1: "First sentence. The second sentence runs over the page.",
        2: "A third one stands here.",
    }


def test_pages_without_text_are_named() -> None:
    loaded = parse("a.pdf", files.pdf([(50, 700, "Only this page says anything.")], None, []))
    assert loaded.warnings == ("no readable text on page 2 of 3 (images only?)",)
    assert [section.page for section in loaded.sections] == [1]


def test_the_title_is_the_files_own_unless_a_program_made_it_up() -> None:
    page = [(50.0, 700.0, "Some words on a page.")]
    assert parse("leaflet_7.pdf", files.pdf(page, title="Knee pain")).title == "Knee pain"
    assert parse("leaflet_7.pdf", files.pdf(page, title="Microsoft Word - knee.doc")).title == "Leaflet 7"
