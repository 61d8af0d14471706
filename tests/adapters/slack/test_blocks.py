"""Replies as blocks: order, limits, and what may be clicked."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.label import label_of
from adapters.link import web_url
from adapters.slack.blocks import note, passage, passages, plain_posts, posts
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording
from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from tests.adapters.replies import CRISIS, FACT, LINES, LINKED, UNLINKED
from tests.doubles.slack.limits import check_message
from tests.doubles.slack.schemas import Schemas

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from adapters.slack.blocks import Post

WORDS = wording()

WRITING = st.text(st.sampled_from("<>&*_`|#- \n.aé🙂U1@!:\u202e\x00"), max_size=300)
TITLES = WRITING | WRITING.map(lambda text: (text or "&") * 2_000)
SOURCES = st.builds(
    Source,
    n=st.integers(1, 60),
    id=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30) | st.just("x" * 2001),
    title=TITLES,
    url=st.none()
    | st.sampled_from(
        ["https://a.example", "HTTPS://X", "https://a b", "javascript:x", "ftp://a", "https://" + "a" * 3000, "x"]
    ),
    locator=TITLES,
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


def _thumbs(reply: Reply) -> int:
    return sum(block["type"] == "context_actions" for post in posts(reply, WORDS) for block in post.blocks)


@pytest.mark.parametrize(("kind", "thumbs"), [(kind, int(kind.looked_up)) for kind in TurnKind])
def test_thumbs_stand_under_what_the_documents_say_and_nowhere_else(kind: TurnKind, thumbs: int) -> None:
    assert _thumbs(Reply(kind, "Some words.", "t")) == thumbs
    assert _thumbs(Reply(kind, "Some words.", "t", resources=LINES)) == 0


@pytest.mark.parametrize("title", ["Flu", "Flu " * 50])
@pytest.mark.parametrize("url", ["https://clinic.example/flu", None])
def test_a_source_whose_review_was_due_says_so_wherever_it_is_named(title: str, url: str | None) -> None:
    marked, mark = replace(LINKED, title=title, url=url, review_by=date(2026, 3, 31)), "Review was due March 2026"
    reply = replace(FACT, sources=(marked, UNLINKED))
    (post,) = posts(reply, WORDS)
    labels = [
        button["text"]["text"]
        for block in post.blocks
        if block["type"] == "actions"
        for button in block["elements"]
        if button["action_id"] != "sources:0"
    ]
    assert [label.endswith(f" · {mark}") for label in labels] == [True, False]
    assert max(map(len, labels)) <= 75
    assert labels[0].startswith("[1] Flu")
    in_full = passages((marked, UNLINKED), WORDS, heading="x")
    for shown in (post, in_full, *plain_posts(reply, WORDS)):
        assert json.dumps([shown.text, list(shown.blocks)]).count(mark) >= 1


@given(REPLIES)
def test_every_reply_is_within_slacks_limits(reply: Reply) -> None:
    in_full = passages(reply.sources, WORDS, heading="x")
    for post in (*posts(reply, WORDS), *plain_posts(reply, WORDS), in_full):
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
        ("HTTPS://clinic.example", False),
        ("Https://clinic.example", False),
        ("https://clinic.example:8443/a?b=c#d", True),
        ("https://[2001:db8::1]/a", True),
        ("https://klinik-münchen.example/straße", True),
        ("https://clinic.example/a b", False),
        ("https://clinic.example/a\nb", False),
        ("https://clinic.example/\u202eb", False),
        ("https://clinic.example/<b>", False),
        ("https://clinic.example:port/", False),
        ("https://clinic.example:99999/", False),
        ("https://...", False),
        ("https://?a", False),
        ("https:clinic.example", False),
        (" https://clinic.example", False),
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


@pytest.mark.parametrize("url", ["HTTPS://X", "https://a b", "javascript:x"])
def test_a_source_with_an_address_that_no_button_may_open_shows_its_passage(url: str) -> None:
    (post,) = posts(replace(FACT, sources=(replace(LINKED, url=url),)), WORDS)
    (button,) = next(block for block in post.blocks if block["type"] == "actions")["elements"]
    assert (button["action_id"], button["value"]) == ("passage:1", LINKED.id)
    assert "url" not in button


ODD = "Visit\ning\r\x00 \u202ehours\u2028\u200b " + "& long" * 40_000


def test_a_title_of_any_length_and_kind_is_one_short_clean_line_wherever_it_stands() -> None:
    odd = replace(LINKED, title=ODD, locator=ODD)
    document = Document("flu", ODD, "/flu.md", "public", "")
    hit = Hit(Passage("flu#0", "flu", 0, "Open.", "", (), (0, 10), ODD), document, 0.0, 1, 1)
    many = tuple(replace(odd, n=n) for n in range(1, 31))
    shown = [
        *posts(replace(FACT, sources=many), WORDS),
        *plain_posts(replace(FACT, sources=many), WORDS),
        passages(many, WORDS, heading="x"),
        passage(hit, 2),
    ]
    for post in shown:
        check_message({"text": post.text, "blocks": list(post.blocks)})
        assert len(post.text) <= 3_000
        shown_text = post.text + json.dumps(post.blocks, ensure_ascii=False)
        assert "Visit ing hours &amp; long" in shown_text
        assert not set("\r\x00\u202e\u2028\u200b") & set(shown_text)
        assert "Visit\n" not in shown_text.replace("\\n", "\n")


def test_a_title_keeps_the_joiners_that_words_and_emoji_are_written_with() -> None:
    assert label_of(1, "می\u200cخواهم 👩\u200d⚕️", "") == "[1] می\u200cخواهم 👩\u200d⚕️"


def test_the_words_for_notifications_keep_the_people_who_help_however_much_else_there_is() -> None:
    many = tuple(replace(LINKED, n=n, title=ODD) for n in range(1, 31))
    (post,) = posts(replace(FACT, text="long " * 1_000, sources=many, resources=LINES), WORDS)
    assert len(post.text) <= 3_000
    assert "116 123" in post.text
    assert "85258" in post.text


def test_confidence_is_said_in_words() -> None:
    (post,) = posts(FACT, WORDS)
    words = {"type": "plain_text", "text": WORDS.confidence.of(0.9), "emoji": False}
    assert post.blocks[-2] == {"type": "context", "elements": [words]}


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
