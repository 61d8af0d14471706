"""Replies streamed over the real SDK: the same as whole ones, read while they come, whatever breaks them off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from bot.answer import Fact, Sentence, Ungrounded
from bot.claude import ClaudeAnswerer
from bot.errors import Refused, Transient
from bot.prompts import prompt
from tests.bot.evidence import evidence, hit
from tests.doubles.claude import (
    Breaks,
    ClaudeDouble,
    Fails,
    Hangs,
    Refuses,
    Says,
    Scripted,
    Sends,
    Writes,
    connected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answer import Answer
    from bot.claude_message import Usage

QUESTION = "When is the flu clinic open?"
EVIDENCE = evidence(hit("It is open on Tuesdays. Bring a card. It is free."))


def sentence(text: str) -> Sentence:
    return Sentence(text, "doc1#1", text)


def fact(*texts: str) -> dict[str, Any]:
    sentences = [{"text": text, "passage_id": "p1", "quote": text} for text in texts]
    return {"kind": "fact", "sentences": sentences, "missing": ""}


OPEN, CARD, FREE = "It is open on Tuesdays.", "Bring a card.", "It is free."
WHOLE = fact(OPEN, CARD, FREE)
DRAFT = Fact((sentence(OPEN), sentence(CARD), sentence(FREE)))
HEARD = [(), (sentence(OPEN),), (sentence(OPEN), sentence(CARD))]
BROKEN = [
    Breaks(WHOLE, FREE, "drops"),
    Breaks(WHOLE, FREE, "ends"),
    Breaks(WHOLE, FREE, "fails"),
    Breaks(WHOLE, FREE, "babbles"),
]


async def streamed(
    *replies: Scripted, deadline: float = 20.0, used: list[Usage] | None = None
) -> tuple[Answer, list[tuple[Sentence, ...]]]:
    """The draft, and what was heard while it was written, each time that this changed."""
    heard: list[tuple[Sentence, ...]] = []

    def hear(sentences: Sequence[Sentence]) -> None:
        if not heard or heard[-1] != tuple(sentences):
            heard.append(tuple(sentences))

    async with (
        ClaudeDouble(replies) as double,
        connected(double, timeout=deadline, on_usage=None if used is None else used.append) as claude,
    ):
        draft = await ClaudeAnswerer(claude, prompt("answer")).answer(QUESTION, EVIDENCE, (), hear)
        assert (double.refused, double.replies) == ([], [])
        assert all(request["stream"] for request in double.requests)
    return draft, heard


async def test_sentences_are_heard_as_they_are_written_and_the_draft_is_the_same_in_the_end() -> None:
    assert await streamed(Says(WHOLE)) == (DRAFT, HEARD)


async def test_a_thought_before_the_text_is_passed_over() -> None:
    assert await streamed(Says(WHOLE, thought=True)) == (DRAFT, HEARD)


async def test_a_streamed_reply_costs_what_a_whole_one_does() -> None:
    used: list[Usage] = []
    await streamed(Says(WHOLE), used=used)
    async with ClaudeDouble([Says(WHOLE)]) as double, connected(double, on_usage=used.append) as claude:
        await ClaudeAnswerer(claude, prompt("answer")).answer(QUESTION, EVIDENCE, ())
        assert double.requests[0]["stream"] is False
    assert used[0] == used[1]
    assert used[0].output_tokens > 0 < used[0].input_tokens


async def test_nothing_is_heard_of_a_decline() -> None:
    assert await streamed(Says({"kind": "ungrounded", "sentences": [], "missing": "hours"})) == (
        Ungrounded("hours"),
        [()],
    )


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.then)
async def test_a_reply_that_breaks_off_is_asked_for_once_more_and_heard_anew(broken: Breaks) -> None:
    assert await streamed(broken, Says(WHOLE)) == (DRAFT, HEARD * 2)


async def test_a_reply_whose_end_is_not_told_may_go_on() -> None:
    assert await streamed(Breaks(WHOLE, "", "ends"), Says(fact(OPEN))) == (Fact((sentence(OPEN),)), [*HEARD, ()])


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.then)
async def test_a_reply_that_breaks_off_twice_is_transient(broken: Breaks) -> None:
    with pytest.raises(Transient):
        await streamed(broken, broken)


async def test_a_reply_cut_short_is_heard_anew() -> None:
    cut = Writes(json.dumps(WHOLE)[:-60], stop_reason="max_tokens")
    assert await streamed(cut, Says(WHOLE)) == (DRAFT, HEARD * 2)


async def test_a_model_that_stops_midway_and_refuses_has_refused() -> None:
    with pytest.raises(Refused, match="bio"):
        await streamed(Breaks(WHOLE, FREE, "refuses"))


async def test_a_model_that_refuses_at_once_has_refused() -> None:
    with pytest.raises(Refused, match="bio"):
        await streamed(Refuses("bio"))


async def test_a_stream_that_stalls_is_given_up_with_the_deadline() -> None:
    with pytest.raises(Transient, match="within"):
        await streamed(Breaks(WHOLE, FREE, "waits"), deadline=0.3)
    with pytest.raises(Transient, match="within"):
        await streamed(Hangs(), deadline=0.3)


async def test_a_busy_server_is_asked_again() -> None:
    assert await streamed(Fails(529), Says(WHOLE)) == (DRAFT, HEARD)


async def test_a_server_that_streams_nothing_is_understood() -> None:
    message = {"type": "message", "content": [{"type": "text", "text": json.dumps(WHOLE)}], "stop_reason": "end_turn"}
    assert await streamed(Sends(json.dumps(message).encode())) == (DRAFT, [()])


async def test_a_server_that_sends_less_of_each_event_is_understood() -> None:
    pieces = [json.dumps(WHOLE)[start : start + 40] for start in range(0, len(json.dumps(WHOLE)), 40)]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}} for text in pieces),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "text": None}, "usage": None},
        {"type": "message_stop", "error": None},
    ]
    sent = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    assert await streamed(Sends(sent.encode(), "text/event-stream")) == (DRAFT, HEARD)


@pytest.mark.parametrize(
    "junk", [b"<html>proxy</html>", b"data: [1]\n\n", b"data: {}\n\n", b"data: \xff\n\n", b"event: ping\n\n", b""]
)
async def test_a_stream_of_other_things_is_transient(junk: bytes) -> None:
    with pytest.raises(Transient):
        await streamed(*[Sends(junk, "text/event-stream")] * 2)


async def test_a_sentence_out_of_shape_is_not_heard() -> None:
    odd = {**WHOLE, "sentences": [{**WHOLE["sentences"][0], "mood": "good"}, *WHOLE["sentences"]]}
    used: list[Usage] = []
    assert await streamed(Writes(json.dumps(odd)), Says(WHOLE), used=used) == (DRAFT, HEARD)
    assert len(used) == 2  # it was read to its end
