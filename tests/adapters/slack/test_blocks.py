"""Replies as blocks: order, limits, and what may be clicked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.blocks import label_of, note, passage, passages, plain_posts, posts, web_url
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording
from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from tests.doubles.slack.limits import check_message
from tests.doubles.slack.schemas import Schemas

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from adapters.slack.blocks import Post

WORDS = wording()
LINKED = Source(
    n=1,
    id="visiting#3",
    title="Visiting hours",
    url="https://clinic.example/visiting",
    locator="page 3",
    quote="Visitors are welcome from 2 to 8 pm.",
    found_by=("keyword", "vector"),
    rank=1,
    rank_before_rerank=1,
)
UNLINKED = replace(LINKED, n=2, id="flu#0", title="Flu <clinic>", url=None, locator="", found_by=("vector",), rank=4)
FACT = Reply(
    TurnKind.FACT,
    "## Visiting\n\nVisitors are **welcome** from 2 to 8 pm. [1]\n\n- children too [2]",
    "t1",
    (LINKED, UNLINKED),
    confidence=0.9,
)
LINES = (
    Resource("Samaritans", phone="116 123", url="https://www.samaritans.org", hours="24 hours", country="GB"),
    Resource("Shout", text="Text SHOUT to 85258"),
)
CRISIS = Reply(TurnKind.CRISIS, "You don't have to carry this alone.", "t2", resources=LINES, private=True)

WRITING = st.text(st.sampled_from("<>&*_`|#- \n.aé🙂U1@!:"), max_size=300)
SOURCES = st.builds(
    Source,
    n=st.integers(1, 60),
    id=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30) | st.just("x" * 2001),
    title=WRITING,
    url=st.none() | st.sampled_from(["https://a.example", "javascript:x", "ftp://a", "https://" + "a" * 3000, "x"]),
    locator=WRITING,
    quote=st.text(min_size=1, max_size=2000),
    found_by=st.sampled_from([(), ("keyword",), ("vector",), ("keyword", "vector")]),
    rank=st.integers(1, 30),
    rank_before_rerank=st.integers(1, 30),
)
REPLIES = st.builds(
    Reply,
    kind=st.sampled_from(list(TurnKind)),
    text=WRITING.map(lambda text: (text or "x") * 60),
    trace_id=st.just("t"),
    sources=st.lists(SOURCES, max_size=30, unique_by=lambda source: source.n).map(tuple),
    resources=st.lists(st.builds(Resource, name=st.just("Line"), phone=st.just("1")), max_size=5).map(tuple),
    confidence=st.none() | st.floats(0, 1),
)


def test_a_fact(payload: SnapshotAssertion) -> None:
    assert _json(posts(FACT, WORDS)) == payload


def test_a_crisis(payload: SnapshotAssertion) -> None:
    assert _json(posts(CRISIS, WORDS)) == payload


def test_an_answer_with_lines_beside_it(payload: SnapshotAssertion) -> None:
    assert _json(posts(replace(FACT, resources=LINES), WORDS)) == payload


def test_no_answer(payload: SnapshotAssertion) -> None:
    assert _json(posts(Reply(TurnKind.UNGROUNDED, WORDS.answer.ungrounded, "t3"), WORDS)) == payload


def test_help(payload: SnapshotAssertion) -> None:
    assert _json(posts(Reply(TurnKind.COURTESY, WORDS.courtesy.help, "t4"), WORDS)) == payload


def test_sources_in_full(payload: SnapshotAssertion) -> None:
    assert _json((passages((LINKED, UNLINKED), WORDS, heading=WORDS.sources.heading),)) == payload


def test_one_passage(payload: SnapshotAssertion) -> None:
    document = Document("flu", "Flu <clinic>", "/flu.md", "public", "")
    found = Passage("flu#0", "flu", 0, "*Open* & free.\n<!here>", "", ("Opening",), (0, 10), "page 2")
    assert _json((passage(Hit(found, document, 0.0, 1, 1), 2),)) == payload


def test_without_blocks(payload: SnapshotAssertion) -> None:
    assert _json(plain_posts(replace(FACT, resources=LINES), WORDS)) == payload


@given(REPLIES)
def test_every_reply_is_within_slacks_limits(reply: Reply) -> None:
    for post in (*posts(reply, WORDS), *plain_posts(reply, WORDS)):
        check_message({"text": post.text or "-", "blocks": list(post.blocks)})


@given(REPLIES)
def test_nothing_in_a_reply_becomes_a_control_sequence(reply: Reply) -> None:
    for post in posts(reply, WORDS):
        for text in [post.text, *_mrkdwn(post.blocks)]:
            assert "<" not in text
            assert ">" not in text


@given(REPLIES)
def test_sources_never_share_a_block_with_words(reply: Reply) -> None:
    for post in posts(reply, WORDS):
        for block in post.blocks:
            assert (block["type"] == "actions") == (
                "button" in {part.get("type") for part in block.get("elements", ())}
            )


def test_words_are_verbatim_so_that_at_here_stays_a_word() -> None:
    (post,) = posts(replace(FACT, text="@here @channel www.example.org"), WORDS)
    assert [block["text"]["verbatim"] for block in post.blocks if block["type"] == "section"] == [True]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://clinic.example/a", True),
        ("http://clinic.example", True),
        ("javascript:alert(1)", False),
        ("tel:116123", False),
        ("https://", False),
        ("//clinic.example", False),
        ("https://[broken", False),
        ("https://clinic.example/" + "a" * 3000, False),
        (None, False),
    ],
)
def test_only_web_pages_can_be_opened(url: str | None, *, kept: bool) -> None:
    assert (web_url(url) is not None) is kept


def test_a_label_is_one_line_and_a_button_cuts_it() -> None:
    assert label_of(1, "Visiting\nhours", "page 3") == "[1] Visiting hours · page 3"
    (post,) = posts(replace(FACT, sources=(replace(LINKED, title="Long" * 40),)), WORDS)
    (button,) = next(block for block in post.blocks if block["type"] == "actions")["elements"]
    assert len(button["text"]["text"]) == 75


def test_confidence_is_said_in_words() -> None:
    (post,) = posts(FACT, WORDS)
    words = {"type": "plain_text", "text": WORDS.confidence.of(0.9), "emoji": False}
    assert post.blocks[-1] == {"type": "context", "elements": [words]}


def test_a_line_named_in_the_words_of_a_crisis_reply_is_not_named_twice() -> None:
    (post,) = posts(replace(CRISIS, text="Call Samaritans on 116 123."), WORDS)
    assert json.dumps(post.blocks).count("116 123") == 1
    assert json.dumps(post.blocks).count("85258") == 1


def test_every_block_is_one_that_slack_knows(shared: Path) -> None:
    schemas = Schemas(shared / "slack" / "schemas")
    shown = [
        *posts(replace(FACT, resources=LINES), WORDS),
        *posts(CRISIS, WORDS),
        passages((LINKED, UNLINKED), WORDS, heading="x"),
        note("x"),
    ]
    for post in shown:
        for block in post.blocks:
            schemas.check_block(block)


def _json(shown: tuple[Post, ...]) -> list[dict[str, Any]]:
    return [{"text": post.text, "blocks": list(post.blocks)} for post in shown]


def _mrkdwn(value: Any) -> list[str]:
    """The texts that Slack reads as mrkdwn, however deep."""
    if isinstance(value, dict):
        here = [value["text"]] if value.get("type") == "mrkdwn" else []
        return here + [text for inner in value.values() for text in _mrkdwn(inner)]
    if isinstance(value, (list, tuple)):
        return [text for inner in value for text in _mrkdwn(inner)]
    return []
