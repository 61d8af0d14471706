"""What a text becomes for Teams: its words, and nothing that leads anywhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.teams.markdown import escape, readable, teams_markdown

SIGNS = st.text(st.sampled_from("<>&*_`[]()!|~#-+=.:/\\ \n\tab1é@"), max_size=120)
PIECES = st.sampled_from(
    [
        "<at>Amina</at>",
        "[here](https://evil.example)",
        "![x](https://evil.example/i.png)",
        "[1](https://evil.example)",
        "[1]: https://evil.example",
        "[1][2]",
        "https://evil.example/a?b=c",
        "HTTPS://EVIL.EXAMPLE",
        "www.evil.example",
        "_www.evil.example",
        "<https://evil.example>",
        "<img src=x onerror=alert(1)>",
        "<a href='https://evil.example'>x</a>",
        "&lt;at&gt;Amina&lt;/at&gt;",
        "javascript:alert(1)",
        "**bold**",
        "*it*",
        "[1]",
        "[2]",
        "| a | b |\n|---|---|\n| c | d |",
        "```\ncode\n```",
        "    indented",
        "\\",
        "\x00\x01",
    ]
)
HOSTILE = st.lists(PIECES | SIGNS, max_size=8).map("".join)
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _said(markdown: str) -> str:
    """The words as a reader of Markdown shows them, on one line."""
    tokens = READER.parse(markdown)
    inner = [child for token in tokens for child in token.children or ()]
    return " ".join("".join(child.content if child.type == "text" else " " for child in inner).split())


@given(HOSTILE)
def test_nothing_in_a_text_is_a_link_an_image_html_or_a_mention(text: str) -> None:
    shown = teams_markdown(readable(text), {1})
    tokens = READER.parse(shown)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {
        "paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "strong_open",
        "strong_close", "em_open", "em_close",
    }  # fmt: skip
    assert "<" not in shown
    assert not re.search(r"https?://|(?<![^\W_])www\.", shown, re.IGNORECASE)


@given(HOSTILE)
def test_the_only_brackets_left_are_those_of_our_markers(text: str) -> None:
    shown = re.sub(r"\\.", "", teams_markdown(readable(text), {1}))
    assert set(re.findall(r"\[.*?\]\(?|[\[\]]", shown)) <= {"[1]"}


@given(SIGNS)
def test_an_escaped_text_is_shown_as_it_is(text: str) -> None:
    line = " ".join(text.split())
    assert _said(escape(line)).replace("\u2060", "") == line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Open from **9 to 5**. [1]", "Open from **9 to 5**. [1]"),
        ("*Soon*", "*Soon*"),
        ("## When\n\nToday", "**When**\n\nToday"),
        ("Today\n# #\nTomorrow", "Today\n\nTomorrow"),
        ("Bring:\n- a card\n- a coat [1]", "Bring:\n\n• a card\n\n• a coat [1]"),
        ("1. First\n2. Second", "1\\. First\n\n2\\. Second"),
        ("2.5 mg, -5 °C, <5 & >3", "2.5 mg, -5 °C, &lt;5 &amp; &gt;3"),
        ("| Day | Open |\n|---|---|\n| Monday | 9 to 12 |", "**Day** · **Open**\n\n• Monday · Open: 9 to 12"),
        ("[9] is no source of ours", "\\[9\\] is no source of ours"),
    ],
)
def test_what_reads_well_stays(text: str, shown: str) -> None:
    assert teams_markdown(readable(text), {1}) == shown
