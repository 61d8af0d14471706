"""Replies as activities: order, limits, what may be clicked, and what stands behind each marker."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.teams.cards import activities, note, passage, passages, plain_activities, too_big
from bot.messages import Reply, Resource, Source, TurnKind
from bot.wording import wording
from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from tests.adapters import replies
from tests.adapters.replies import CRISIS, LINES
from tests.adapters.teams.card_schema import check_card
from tests.adapters.teams.test_markdown import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from syrupy.assertion import SnapshotAssertion

WORDS = wording()
LINKED, UNLINKED = (replace(one, rank_before_rerank=4) for one in (replies.LINKED, replies.UNLINKED))
FACT = replace(replies.FACT, sources=(LINKED, UNLINKED))

TITLES = HOSTILE | HOSTILE.map(lambda text: (text or "&") * 400)
URLS = st.none() | st.sampled_from(
    ["https://a.example/(x)[y]_z_", "HTTPS://X", "https://a b", "javascript:x", "https://" + "a" * 3000, "tel:116123"]
)
SOURCES = st.builds(
    Source,
    n=st.integers(1, 60),
    id=st.text(st.characters(codec="utf-8"), min_size=1, max_size=30) | st.just("x" * 2001),
    title=TITLES,
    url=URLS,
    locator=TITLES,
    quote=st.text(min_size=1, max_size=300) | HOSTILE.map(lambda text: (text or "x") * 200),
    found_by=st.sampled_from([(), ("keyword",), ("vector",), ("keyword", "vector")]),
    rank=st.integers(1, 30),
    rank_before_rerank=st.integers(1, 30),
    review_by=st.none() | st.just(date(2026, 3, 31)),
)
REPLIES = st.builds(
    Reply,
    kind=st.sampled_from(list(TurnKind)),
    text=HOSTILE | HOSTILE.map(lambda text: (text or "x") * 60),
    trace_id=st.just("t"),
    sources=st.lists(SOURCES, max_size=30, unique_by=lambda source: source.n).map(tuple),
    resources=st.lists(st.builds(Resource, name=st.just("Line"), phone=st.just("1"), url=URLS), max_size=5).map(tuple),
    confidence=st.none() | st.floats(0, 1),
)


def shown(reply: Reply, retry: str | None = None) -> list[dict[str, Any]]:
    return list(activities(reply, WORDS, retry=retry))


def plainly(reply: Reply) -> list[dict[str, Any]]:
    return list(plain_activities(reply, WORDS))


def test_a_fact(payload: SnapshotAssertion) -> None:
    assert shown(FACT) == payload


def test_a_crisis(payload: SnapshotAssertion) -> None:
    assert shown(CRISIS, "personal") == payload


def test_an_answer_with_lines_beside_it(payload: SnapshotAssertion) -> None:
    assert shown(replace(FACT, resources=LINES)) == payload


def test_no_answer(payload: SnapshotAssertion) -> None:
    assert shown(Reply(TurnKind.UNGROUNDED, WORDS.answer.ungrounded, "t3")) == payload


def test_help(payload: SnapshotAssertion) -> None:
    assert shown(Reply(TurnKind.COURTESY, WORDS.courtesy.help, "t4")) == payload


def test_a_fault(payload: SnapshotAssertion) -> None:
    assert shown(Reply(TurnKind.ERROR, WORDS.error.timeout.format(reference="t5"), "t5"), retry="1796") == payload


def test_sources_in_full(payload: SnapshotAssertion) -> None:
    assert shown(Reply(TurnKind.COURTESY, WORDS.sources.heading, "", FACT.sources)) == payload


def test_one_passage(payload: SnapshotAssertion) -> None:
    document = Document("flu", "Flu <clinic>", "/flu.md", "public", "")
    found = Passage("flu#0", "flu", 0, "*Open* & free.\n<at>Amina</at>", "", ("Opening",), (0, 10), "page 2")
    assert passage(Hit(found, document, 0.0, 1, 1), 2, "Review was due March 2026") == payload


def test_as_text_alone(payload: SnapshotAssertion) -> None:
    assert plainly(replace(FACT, resources=LINES)) == payload


@given(REPLIES)
def test_every_reply_is_within_teams_limits_and_made_of_what_cards_know(reply: Reply) -> None:
    every = [*shown(reply, retry="1"), *plainly(reply)]
    for activity in every:
        assert activity["text"].strip()
        assert not too_big(activity)
        for content in _cards(activity):
            check_card(content)
        for entity in activity.get("entities", ()):
            assert len(entity.get("citation", ())) <= 20
            for one in entity.get("citation", ()):
                assert 0 < len(one["appearance"]["name"]) <= 80
                assert 0 < len(one["appearance"]["abstract"]) <= 160
                assert all(len(word) <= 28 for word in one["appearance"].get("keywords", ()))
    if reply.sources:
        check_card(passages(reply.sources, WORDS))
    json.dumps(every)


@given(REPLIES)
def test_no_text_mentions_anyone_or_holds_html_and_only_ours_link(reply: Reply) -> None:
    for activity in [*shown(reply), *plainly(reply)]:
        assert "<" not in activity["text"]
        left = re.sub(r"\\.", "", activity["text"])
        addresses = re.findall(r"\]\((.*?)\)", left)
        for address in addresses:
            left = left.replace(f"]({address})", "") if address.startswith("https://a.example/") else left
        assert not re.search(r"https?://|\bwww\.", left, re.IGNORECASE)


@given(REPLIES)
def test_every_label_and_citation_comes_from_the_sources_and_every_marker_is_cited(reply: Reply) -> None:
    """There is one root entity in a message, on facts alone."""
    known = {source.n: source for source in reply.sources}
    for activity in shown(reply):
        entities = activity.get("entities", [])
        assert len(entities) == int(reply.kind is TurnKind.FACT)
        for one in (one for entity in entities for one in entity.get("citation", ())):
            assert one["appearance"].get("url") in {None, known[one["position"]].url}
        if entities and len(known) <= 20:
            cited = {one["position"] for one in entities[0].get("citation", ())}
            assert {int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", re.sub(r"\\\\", "", activity["text"]))} <= cited


@pytest.mark.parametrize(("kind", "thumbs"), [(kind, int(kind.looked_up)) for kind in TurnKind])
def test_thumbs_stand_under_what_the_documents_say_and_nowhere_else(kind: TurnKind, thumbs: int) -> None:
    def count(reply: Reply) -> int:
        return sum("feedbackLoop" in activity.get("channelData", {}) for activity in shown(reply))

    assert count(Reply(kind, "Some words.", "t")) == thumbs
    assert count(Reply(kind, "Some words.", "t", resources=LINES)) == 0


def test_a_crisis_reply_names_its_people_in_the_text_and_opens_their_pages() -> None:
    (one,) = shown(CRISIS, "personal")
    assert "Samaritans · 116 123" in one["text"]
    assert "85258" in one["text"]
    (card,) = _cards(one)
    assert [action["url"] for action in _actions(card)] == ["https://www.samaritans.org"]


def test_an_address_of_those_who_help_is_a_link_in_the_text_and_no_other_is() -> None:
    text = "Chat: https://www.samaritans.org. Not https://www.samaritans.org.evil.example or https://evil.example"
    (one,) = shown(replace(CRISIS, text=text), "personal")
    assert one["text"].startswith("Chat: [https://www.samaritans.org](https://www.samaritans.org). Not https:\u2060//")
    assert one["text"].count("://") == 2


def test_a_line_named_in_the_words_of_a_crisis_reply_is_not_named_twice() -> None:
    (one,) = shown(replace(CRISIS, text="Call Samaritans on 116 123."), "personal")
    assert one["text"].count("116 123") == 1


def test_a_source_opens_its_document_or_else_shows_its_passage() -> None:
    (one,) = shown(FACT)
    (card,) = _cards(one)
    document, found, everything = _actions(card)
    assert (document["title"], document["url"]) == ("[1] Visiting hours · page 3", LINKED.url)
    dialog = {"type": "task/fetch"}
    assert found["data"] == {"msteams": dialog, "citewell": "passage", "id": UNLINKED.id, "n": 2}
    assert everything["data"] == {"msteams": dialog, "citewell": "sources"}


def test_a_long_answer_is_split_at_its_paragraphs_and_the_last_carries_the_rest() -> None:
    paragraph = "Visitors are welcome. " * 120 + "[1]"
    first, last = shown(replace(FACT, text=f"{paragraph}\n\n{paragraph.replace('[1]', '[2]')}"))
    positions = [[one["position"] for one in part["entities"][0]["citation"]] for part in (first, last)]
    assert positions == [[1], [2]]
    assert first["text"].endswith("[1]")
    assert "attachments" not in first
    assert "channelData" not in first
    assert _cards(last)


def test_only_a_fault_with_a_message_to_ask_again_can_be_tried_again() -> None:
    fault = Reply(TurnKind.ERROR, "Sorry.", "t")
    assert "attachments" not in shown(fault)[0]
    (card,) = _cards(shown(fault, retry="17")[0])
    assert _actions(card)[0]["data"] == {"citewell": "retry", "key": "17"}
    assert "Action.Submit" not in json.dumps(shown(replace(fault, kind=TurnKind.REFUSAL), retry="17"))


def test_a_source_whose_review_was_due_says_so_wherever_it_is_named() -> None:
    marked, mark = replace(LINKED, title="Flu " * 50, review_by=date(2026, 3, 31)), "Review was due March 2026"
    reply = replace(FACT, sources=(marked, UNLINKED))
    (one,) = shown(reply)
    assert _actions(_cards(one)[0])[0]["title"].endswith(f" · {mark}")
    assert mark in one["entities"][0]["citation"][0]["appearance"]["keywords"]
    assert mark in json.dumps(passages(reply.sources, WORDS))
    assert mark in plainly(reply)[-1]["text"]


def test_a_passage_stays_verbatim() -> None:
    quote = "Take *two* & <at>rest</at>\n[here](https://evil.example) {{DATE(2017-02-14,SHORT)}}"
    content = passages((replace(LINKED, quote=quote),), WORDS)
    assert json.dumps(quote) in json.dumps(content)
    assert '"TextBlock"' not in json.dumps(content)


def test_a_message_is_measured_as_teams_does() -> None:
    assert not too_big(note("x" * 40_000))
    assert too_big(note("x" * 46_000))
    assert too_big(note("🙂" * 23_000))


def _cards(activity: dict[str, Any]) -> list[dict[str, Any]]:
    return [one["content"] for one in activity.get("attachments", ())]


def _actions(content: dict[str, Any]) -> list[dict[str, Any]]:
    def found(elements: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for element in elements:
            yield from element.get("actions", ())
            yield from found(element.get("items", []))

    return list(found(content["body"]))
