"""Markdown in Slack's marks, with nothing in it that Slack would obey."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.slack.mrkdwn import escape, mrkdwn, plain

ENTITY = re.compile(r"&(?:amp|lt|gt);")
SPEECH = st.text(st.sampled_from("<>&@#!|*_~`- \nabU123:/.^[]()\\"), max_size=120) | st.text(max_size=120)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**Bold** and __bold__", "*Bold* and *bold*"),
        ("an *important* word", "an _important_ word"),
        ("~~no~~ yes", "~no~ yes"),
        ("## Visiting hours", "*Visiting hours*"),
        ("## **Visiting** hours ##", "*Visiting hours*"),
        ("- one\n  * two\n1. three", "• one\n  • two\n1. three"),
        ("> quoted", "&gt; quoted"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`**code**` **bold**", "`**code**` *bold*"),
        ("```py\n**x** < 1\n```", "```\n**x** &lt; 1\n```"),
        ("```\nnever closed", "```\nnever closed\n```"),
        ("less than <5 mg & more", "less than &lt;5 mg &amp; more"),
        ("<!channel> <@U123> <https://x.example|y>", "&lt;!channel&gt; &lt;@U123&gt; &lt;https://x.example|y&gt;"),
        ("Open from 9 to 12. [1]", "Open from 9 to 12. [1]"),
    ],
)
def test_each_mark_has_its_slack_form(markdown: str, shown: str) -> None:
    assert mrkdwn(markdown) == shown


def test_a_table_becomes_lines_that_read_alone() -> None:
    table = "| Day | Open | Ward |\n|---|:---:|---|\n| Monday | 9 to 12 | B |\n| Sunday | | A \\| B |"
    assert mrkdwn(table) == "*Day* · *Open* · *Ward*\n• Monday · Open: 9 to 12 · Ward: B\n• Sunday · Ward: A | B"


def test_plain_text_keeps_the_words_and_drops_the_marks() -> None:
    markdown = "## Hours\n\n**Open** from *9* to `12` & later\n> as the leaflet says\n```\nraw\n```"
    assert plain(markdown) == "Hours\n\nOpen from 9 to 12 &amp; later\nas the leaflet says\nraw"


@given(SPEECH)
@example("<!here>")
@example("**<@U1>**")
@example("`<!channel>`")
@example("| <#C1> |\n|---|\n| <!date^1^x|y> |")
@example("&lt;!channel&gt;")
def test_no_control_sequence_ever_comes_out(text: str) -> None:
    for shown in (mrkdwn(text), plain(text), escape(text)):
        assert "<" not in shown
        assert ">" not in shown
        assert "&" not in ENTITY.sub("", shown)


@given(SPEECH)
def test_escaped_text_reads_as_what_was_written(text: str) -> None:
    entities_alone = re.sub(r"&(?!(?:amp|lt|gt);)", "&amp;", escape(text))
    assert entities_alone == escape(text)
    assert escape(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") == text


@given(st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=20))
def test_words_survive_in_order(words: list[str]) -> None:
    assert html.unescape(mrkdwn(" ".join(words))).split() == words
