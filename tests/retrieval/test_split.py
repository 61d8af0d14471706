"""Splitting: verbatim, within sections, of a fitting length."""

from __future__ import annotations

import base64
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.context import LONGEST as LONGEST_CONTEXT
from retrieval.context import context_sentence
from retrieval.errors import Unreadable
from retrieval.junk import LONGEST_RUN
from retrieval.load import parse
from retrieval.readers.loaded import Loaded, Section
from retrieval.split import LONGEST, LONGEST_PIECE, pieces, split

WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40)
BLOCKS = st.sampled_from(
    [
        "# A\n",
        "## B\n",
        "\n",
        "- item\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "Text é.\n",
        "```\n# x\n```\n",
        "Old\n===\n",
        "\r\n",
    ]
)
MARKDOWN = st.lists(BLOCKS | WORDS | WORDS.map(lambda text: f"{text}\n\n"), max_size=30).map("".join)
SENTENCE = "Wash your hands before every meal and after each visit to the ward. "


def one_section(text: str) -> Loaded:
    return Loaded(text, (Section((0, len(text)), ("Care",)),), title="Hands")


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@given(text=MARKDOWN)
def test_every_passage_stands_verbatim_at_its_span(name: str, text: str) -> None:
    try:
        loaded = parse(name, text.encode())
    except Unreadable:
        return
    passages = split(loaded, "d")
    assert passages or len(text) > LONGEST_RUN
    for before, after in itertools.pairwise(passages):
        assert before.span[1] <= after.span[0]
    for passage in passages:
        assert loaded.text[slice(*passage.span)] == passage.text
        assert passage.text.strip()


@given(
    st.lists(st.sampled_from([SENTENCE, SENTENCE + "\n", "\n\n", "- short\n", "word " * 30]), min_size=1, max_size=60)
)
def test_no_word_is_lost_or_said_twice(parts: list[str]) -> None:
    text = "".join(parts)
    passages = split(one_section(text), "d")
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(text.split())


@given(st.integers(1, 60))
def test_passages_are_short_enough_and_end_with_sentences(count: int) -> None:
    passages = split(one_section((SENTENCE * count).strip()), "d")
    assert all(len(passage.text) <= LONGEST + 200 for passage in passages)
    assert all(passage.text.endswith("ward.") for passage in passages)


BLOB = base64.b64encode(random.Random(0).randbytes(3000)).decode()
URI = f"data:image/png;base64,{BLOB}"


@pytest.mark.parametrize(
    "junk",
    [
        f"![A picture]({URI})", f'![A picture](<{URI}> "Title")', f"[image1]: <{URI}>", f"[image1]: {URI}",
        f'<img alt="A" src="{URI}" width=3>', URI, "data:image/svg+xml,%3Csvg%3E", BLOB, "=" * 300,
    ],
)  # fmt: skip
def test_embedded_files_and_long_runs_are_in_no_passage(junk: str) -> None:
    text = f"{SENTENCE}\n\n{junk}\n\nThen dry them. {junk} Take {junk}."
    passages = split(one_section(text), "d")
    assert [passage.text for passage in passages] == [SENTENCE.strip(), "Then dry them.", "Take"]
    assert all(text[slice(*passage.span)] == passage.text for passage in passages)


def test_a_data_uri_in_a_table_leaves_the_rest_of_its_row() -> None:
    text = f"Ward | Rule | Beds\nEast | {URI} | 12 beds\nWest | quiet | 9 beds"
    loaded = Loaded(text, (Section((0, len(text)), is_table=True),))
    assert [passage.text for passage in split(loaded, "d")] == [
        "Ward | Rule | Beds\nEast |",
        "| 12 beds\nWest | quiet | 9 beds",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "患者は手を洗い病室に入る前に看護師を呼ぶ" * 200, "ก่อนเข้าห้องผู้ป่วยให้ล้างมือ" * 200, "IL-6,TNF-alpha," * 400,
        "https://clinic.example/" + "a" * 170, "x" * LONGEST_RUN,
    ],
)  # fmt: skip
def test_words_written_without_spaces_stay_whole(text: str) -> None:
    passages = split(one_section(text), "d")
    assert "".join(passage.text for passage in passages) == text
    assert all(len(passage.text) <= LONGEST + 200 for passage in passages)


@given(st.lists(st.integers(0, 1900).map("字".__mul__) | st.sampled_from(["。", " ", "1.5 mg " * 900]), max_size=20))
def test_the_splitter_is_given_no_sentence_longer_than_its_bound(parts: list[str]) -> None:
    text = "".join(parts)
    cut = list(pieces(text, (0, len(text))))
    assert "".join(text[slice(*piece)] for piece in cut) == text
    assert all(len(run) <= LONGEST_PIECE for piece in cut for run in text[slice(*piece)].split("。"))


def test_ids_and_ordinals_count_from_one() -> None:
    passages = split(one_section(SENTENCE * 40), "hands-1a2b3c4d")
    assert [passage.ordinal for passage in passages] == list(range(1, len(passages) + 1))
    assert passages[0].id == "hands-1a2b3c4d#1"


def test_no_passage_crosses_a_heading() -> None:
    loaded = parse("a.md", f"# T\n\nOne.\n\n## A\n\n{SENTENCE}\n\n### B\n\nTwo.\n\n## Empty\n".encode())
    assert [(passage.headings, passage.text) for passage in split(loaded, "d")] == [
        (("T",), "One."),
        (("T", "A"), SENTENCE.strip()),
        (("T", "A", "B"), "Two."),
    ]


def test_a_line_that_introduces_a_list_goes_with_it() -> None:
    items = "\n".join(f"- {SENTENCE.strip()}" for _ in range(6))
    passages = split(one_section(f"{SENTENCE * 8}\n\nCall the clinic if you have:\n\n{items}"), "d")
    holder = next(passage for passage in passages if "Call the clinic" in passage.text)
    assert holder.text.startswith("Call the clinic if you have:\n\n- Wash")


def test_rows_stay_whole_and_columns_go_to_the_context() -> None:
    rows = [f"Ward {n} | {SENTENCE.strip()} | {n} beds" for n in range(30)]
    text = "\n".join(["Ward | Rule | Beds", *rows])
    loaded = Loaded(text, (Section((0, len(text)), columns=("Ward", "Rule", "Beds"), is_table=True),), title="Wards")
    passages = split(loaded, "d")
    assert len(passages) > 2
    assert [row for passage in passages for row in passage.text.split("\n")][1:] == rows
    assert {passage.context for passage in passages} == {"From “Wards” (columns: Ward, Rule, Beds)."}


def test_context_names_the_title_once() -> None:
    assert context_sentence("Asthma", ["asthma", "Care", "At night"]) == "From “Asthma”, under Care > At night."
    assert context_sentence("Asthma", []) == "From “Asthma”."


@given(st.text(max_size=400), st.lists(st.text(max_size=300), max_size=5), st.lists(st.text(max_size=100), max_size=8))
def test_context_stays_short(title: str, headings: list[str], columns: list[str]) -> None:
    assert len(context_sentence(title, headings, columns)) <= LONGEST_CONTEXT
