"""Modals, and what asks a question again: their payloads, Slack's limits, and that nothing in them pings anyone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.again import ASK_ACTION, ask_button, to_ask
from adapters.slack.blocks import content, note, passage, passages, plain_posts, posts
from adapters.slack.passage_view import passage_view, said, sources_view, waiting
from adapters.slack.reasons import COMMENT_LENGTH, Reason, reason_view, sent
from adapters.sources import InPlace
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording
from memory.turn import Fault
from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from tests.doubles.slack.schemas import Schemas
from tests.doubles.slack.views import check_view

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

WORDS = wording()
TODAY = date(2026, 11, 30)
LEAFLET = Document(
    "flu",
    "Flu <clinic>",
    "/flu.md",
    "public",
    "",
    url="https://clinic.example/flu",
    effective=date(2026, 1, 1),
    review_by=date(2026, 3, 31),
    expires=date(2027, 12, 31),
)


def a_passage(ordinal: int, text: str, start: int, **more: Any) -> Passage:
    given = {"headings": ("Flu <clinic>", "Opening"), "place": "page 2"} | more
    return Passage(f"flu#{ordinal}", "flu", ordinal, text, "", span=(start, start + len(text)), **given)


def in_place(*, document: Document = LEAFLET) -> InPlace:
    before = a_passage(1, "The clinic is for all. It opens", 0, headings=("Flu <clinic>", "Who"))
    found = a_passage(2, "It opens *daily*.\n<!here> & <@U1>", 23)
    after = a_passage(3, "Bring a card.", 57)
    return InPlace(Hit(found, document, 0.0, 1, 1), (before,), (after,))


ANSWER_SOURCE = Source(1, "flu#2", "Flu <clinic>", None, "page 2", "It opens *daily*.", ("keyword", "vector"), 2, 5)


def test_a_passage_in_its_place(payload: SnapshotAssertion) -> None:
    assert passage_view(in_place(), WORDS, today=TODAY) == payload


def test_a_passage_that_has_gone(payload: SnapshotAssertion) -> None:
    assert passage_view(None, WORDS, today=TODAY) == payload


def test_a_window_that_waits(payload: SnapshotAssertion) -> None:
    assert waiting(WORDS.passage.title, WORDS) == payload


def test_sources_in_a_window(payload: SnapshotAssertion) -> None:
    assert sources_view((ANSWER_SOURCE,), WORDS, heading=WORDS.sources.heading, place="C0WARD") == payload


def test_what_was_wrong(payload: SnapshotAssertion) -> None:
    assert reason_view("t1", "C0WARD", WORDS) == payload


def test_a_passage_without_a_window(payload: SnapshotAssertion) -> None:
    assert content(passage(in_place().hit, 1, lead=WORDS.passage.alone)) == payload


def test_an_error(payload: SnapshotAssertion) -> None:
    (post,) = posts(Reply(TurnKind.ERROR, WORDS.error.general.format(reference="t1"), "t1"), WORDS)
    assert content(post) == payload


def test_an_edited_question(payload: SnapshotAssertion) -> None:
    assert content(note(WORDS.again.edited, ask_button("1764500000.000001", "", WORDS))) == payload


def test_help_for_the_command(payload: SnapshotAssertion) -> None:
    assert content(note(WORDS.sources.command)) == payload


def test_what_passages_share_is_shown_once_and_where_each_stands_only_where_that_changes() -> None:
    view = passage_view(in_place(), WORDS, today=TODAY)
    shown = [text for block in view["blocks"] for text in _texts(block)]
    assert "The clinic is for all. " in shown
    assert shown.count("page 2 · Opening") == 1
    assert shown.count("page 2 · Who") == 1
    assert "Holds from 1 January 2026 · Holds until 31 December 2027 · Review was due March 2026" in shown


def test_a_document_without_dates_or_address_has_neither_line_nor_button() -> None:
    view = passage_view(in_place(document=Document("flu", "Flu", "/flu.md", "public", "")), WORDS, today=TODAY)
    assert [block["type"] for block in view["blocks"]].count("actions") == 0
    assert "Holds" not in json.dumps(view)


def test_a_review_that_is_still_to_come_is_said_as_such() -> None:
    view = passage_view(in_place(document=replace(LEAFLET, review_by=date(2027, 3, 31))), WORDS, today=TODAY)
    assert "Review due March 2027" in json.dumps(view)


# Limits


ODD = st.text(st.sampled_from("<>&*_`|#- \n.aé🙂U1@!:\u202e\x00\u200b"), max_size=300)
HOSTILE = st.sampled_from(["<@U0AMINA>", "<!here>", "<!subteam^S1>", "<#C0WARD>", "@here", "*x*", "<https://a|b>"])
TEXTS = st.builds("".join, st.lists(ODD | HOSTILE, max_size=6)) | HOSTILE.map(lambda text: text * 700)
PASSAGES = st.builds(
    Passage,
    id=st.just("flu#1"),
    document_id=st.just("flu"),
    ordinal=st.integers(1, 9),
    text=TEXTS,
    context=st.just(""),
    headings=st.lists(TEXTS, max_size=2).map(tuple),
    span=st.tuples(st.integers(0, 1_000), st.integers(1_000, 2_000)),
    place=TEXTS,
)
DOCUMENTS = st.builds(
    Document,
    id=st.just("flu"),
    title=TEXTS,
    path=TEXTS,
    collection=st.just("public"),
    content_hash=st.just(""),
    url=st.none() | TEXTS | st.just("https://clinic.example/flu"),
    review_by=st.none() | st.dates(),
)
PLACES = st.builds(
    InPlace,
    hit=st.builds(
        Hit, passage=PASSAGES, document=DOCUMENTS, score=st.just(0.0), rank=st.just(1), rank_before_rerank=st.just(2)
    ),
    before=st.lists(PASSAGES, max_size=2).map(tuple),
    after=st.lists(PASSAGES, max_size=2).map(tuple),
)
SOURCES = st.lists(
    st.builds(
        Source,
        n=st.integers(1, 60),
        id=TEXTS.map(lambda text: text or "x"),
        title=TEXTS,
        url=st.none() | TEXTS,
        locator=TEXTS,
        quote=TEXTS.map(lambda text: text or "x"),
        found_by=st.just(("keyword",)),
        rank=st.integers(1, 30),
        rank_before_rerank=st.integers(1, 30),
    ),
    max_size=30,
    unique_by=lambda source: source.n,
).map(tuple)


@given(PLACES | st.none())
def test_every_passage_fits_a_window(found: InPlace | None) -> None:
    check_view(passage_view(found, WORDS, today=TODAY))


@given(SOURCES)
def test_all_sources_fit_a_window(sources: tuple[Source, ...]) -> None:
    check_view(sources_view(sources, WORDS, heading="x", place="C0WARD"))


def test_every_window_is_one_that_slack_knows(shared: Path) -> None:
    schemas = Schemas(shared / "slack" / "schemas")
    for view in (
        passage_view(in_place(), WORDS, today=TODAY),
        passage_view(None, WORDS, today=TODAY),
        sources_view((ANSWER_SOURCE,), WORDS, heading="x", place="C0WARD"),
        reason_view("t1", "C0WARD", WORDS),
        said("x", "y", WORDS),
    ):
        schemas.check_view(view)


# Nobody is pinged


def _texts(value: Any) -> Iterator[str]:
    """Every string that is shown, however deep."""
    match value:
        case dict():
            for name, inner in value.items():
                if name == "text" and isinstance(inner, str):
                    yield inner
                else:
                    yield from _texts(inner)
        case list() | tuple():
            for inner in value:
                yield from _texts(inner)
        case _:
            return


def pings(payload: Any) -> list[str]:
    """What in a payload could call somebody: control sequences where Slack reads them, and elements that do it.

    Slack reads none in plain text or in the text elements of rich text; those show what stands there, letter by letter.
    """
    found: list[str] = []
    if isinstance(payload, dict):
        if payload.get("type") in {"user", "usergroup", "broadcast", "channel", "team", "link", "markdown"}:
            found.append(str(payload["type"]))
        text = payload.get("text")
        read = payload.get("type") == "mrkdwn" or ("type" not in payload and isinstance(text, str))
        if read and re.search(r"[<>]", str(text)):
            found.append(str(text))
        if payload.get("type") == "mrkdwn" and payload.get("verbatim") is not True:
            found.append("not verbatim")
        if "blocks" in payload and "title" not in payload and payload.get("link_names") is not False:
            found.append("names are linked")
        return found + [ping for inner in payload.values() for ping in pings(inner)]
    return [ping for inner in payload for ping in pings(inner)] if isinstance(payload, (list, tuple)) else []


@given(PLACES)
def test_no_document_pings_anyone_from_a_window_or_a_whisper(found: InPlace) -> None:
    assert pings(passage_view(found, WORDS, today=TODAY)) == []
    assert pings(content(passage(found.hit, 1, lead=WORDS.passage.alone))) == []


@given(SOURCES, TEXTS, st.sampled_from(list(TurnKind)))
def test_no_answer_pings_anyone(sources: tuple[Source, ...], text: str, kind: TurnKind) -> None:
    reply = Reply(kind, text, "t1", sources=sources, resources=(Resource("Line", phone="1"),))
    shown = [*posts(reply, WORDS), *plain_posts(reply, WORDS), passages(sources, WORDS, heading=WORDS.sources.heading)]
    for post in shown:
        assert pings(content(post)) == []
    assert pings(sources_view(sources, WORDS, heading=WORDS.sources.heading, place="C0WARD")) == []


def test_the_test_for_pings_finds_them() -> None:
    assert pings({"text": "<@U1>", "link_names": False, "blocks": []})
    assert pings({"type": "section", "text": {"type": "mrkdwn", "text": "<!here>", "verbatim": True}})
    assert pings({"type": "section", "text": {"type": "mrkdwn", "text": "@here"}})
    assert pings({"text": "@here", "blocks": []})
    assert pings({"type": "rich_text_section", "elements": [{"type": "user", "user_id": "U1"}]})


@pytest.mark.parametrize("fixed", [WORDS.again, WORDS.passage, WORDS.sources, WORDS.feedback])
def test_our_own_texts_ping_nobody(fixed: Any) -> None:
    assert not re.search(r"<[@!#]", fixed.model_dump_json())


# What comes back


def test_a_reason_comes_back_as_it_was_given() -> None:
    values: dict[str, Any] = {
        "fault": {"fault": {"selected_option": {"value": "wrong"}}},
        "comment": {"comment": {"value": " why "}},
    }
    assert sent("t1 C0WARD", values) == Reason("t1", "C0WARD", Fault.WRONG, "why")
    assert reason_view("t1", "C0WARD", WORDS)["private_metadata"] == "t1 C0WARD"


@pytest.mark.parametrize("about", ["", "t1", "t1 C0WARD more", "t1 c0ward", " C0WARD"])
def test_a_reason_about_nothing_of_ours_is_none(about: str) -> None:
    assert sent(about, {}) is None


def test_odd_values_are_no_reasons() -> None:
    odd: dict[str, Any] = {
        "fault": {"fault": {"selected_option": {"value": "made up"}}},
        "comment": {"comment": {"value": 7}},
    }
    assert sent("t1 C0WARD", odd) == Reason("t1", "C0WARD", None, "")
    long: dict[str, Any] = {"comment": {"comment": {"value": "x" * 9_000}}}
    assert sent("t1 C0WARD", long) == Reason("t1", "C0WARD", None, "x" * COMMENT_LENGTH)


@pytest.mark.parametrize("thread", ["", "1764500000.000009"])
def test_what_is_asked_again_comes_back_as_it_was_given(thread: str) -> None:
    button = ask_button("1764500000.000001", thread, WORDS)
    assert button["action_id"] == f"{ASK_ACTION}:0"
    assert to_ask(button["value"]) == ("1764500000.000001", thread)


@pytest.mark.parametrize("value", ["", "x@y", "1.1", "1.1@x", "@", "1.1@1.1@1.1", "secret"])
def test_nothing_else_is_asked_again(value: str) -> None:
    assert to_ask(value) is None
