"""Every way in which a call to Claude can end, and what the person reads then: the real SDK, a real socket, a turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.claude import ClaudeAnswerer
from bot.messages import TurnKind
from bot.prompts import prompt
from bot.wording import wording
from tests.bot.engine import bench, said
from tests.doubles.claude import (
    ClaudeDouble,
    Drops,
    Fails,
    Hangs,
    Refuses,
    Says,
    Scripted,
    Sends,
    Stops,
    Writes,
    connected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.messages import Reply
    from bot.trace import Trace
    from retrieval.evidence import Evidence

QUESTION = "When is the flu clinic open?"
OPEN = "The flu clinic is open on Tuesdays from 9 am to 12 noon."
WORDS = wording()
DECLINE = f"{WORDS.answer.ungrounded} {WORDS.answer.ungrounded_hint}"
FACT = "It is open on Tuesdays. [1]"


def sentence(text: str = "It is open on Tuesdays.", passage: str = "p1", quote: str = OPEN) -> dict[str, str]:
    return {"text": text, "passage_id": passage, "quote": quote}


def fact(*sentences: dict[str, str]) -> Says:
    return Says({"kind": "fact", "sentences": list(sentences), "missing": ""})


def ungrounded(missing: str) -> Says:
    return Says({"kind": "ungrounded", "sentences": [], "missing": missing})


@dataclass(frozen=True, slots=True)
class Ending:
    """What the server does, and what comes of it. Where extracts answer, `degraded` says why in the trace, and the text
    begins with what it `reads`.
    """

    what: str
    replies: Sequence[Scripted]
    reads: str
    kind: TurnKind = TurnKind.FACT
    degraded: str | None = None
    given: dict[str, Any] = field(default_factory=dict)


CUT = Writes('{"kind": "fact", "sentences": [{"text": "It is', stop_reason="max_tokens")
OTHER = Writes('{"kind": "fact", "answer": "It is open on Tuesdays."}')
PROSE = Writes("It is open on Tuesdays, see https://evil.example")


def twice(reply: Scripted) -> list[Scripted]:
    return [reply, reply]


def extract(what: str, replies: Sequence[Scripted], error: str = "Transient", **given: Any) -> Ending:
    return Ending(what, replies, OPEN, degraded=error, given=given)


ENDINGS = [
    Ending("a fact", [fact(sentence())], FACT),
    Ending(
        "a decline",
        [ungrounded("the flu clinic")],
        f"{WORDS.answer.ungrounded_about.format(missing='the flu clinic')} {WORDS.answer.ungrounded_hint}",
        TurnKind.UNGROUNDED,
    ),
    Ending("a decline that smuggles", [ungrounded("Call 0900 now")], DECLINE, TurnKind.UNGROUNDED),
    Ending("an unknown id", [fact(sentence(passage="p99"))], DECLINE, TurnKind.UNGROUNDED),
    Ending("the index's own id", [fact(sentence(passage="d4#1"))], DECLINE, TurnKind.UNGROUNDED),
    Ending("no id", [fact(sentence(passage=""))], DECLINE, TurnKind.UNGROUNDED),
    Ending("a known and an unknown id", [fact(sentence(), sentence(), sentence(passage="p99"))], FACT),
    Ending("no sentences", [fact()], DECLINE, TurnKind.UNGROUNDED),
    Ending("an empty sentence", [fact(sentence(text=" "))], DECLINE, TurnKind.UNGROUNDED),
    Ending("an empty quote", [fact(sentence(quote=""))], DECLINE, TurnKind.UNGROUNDED),
    Ending("an empty sentence among others", [fact(sentence(), sentence(), sentence(text=""))], FACT),
    Ending("cut short, then whole", [CUT, fact(sentence())], FACT),
    extract("cut short twice", twice(CUT), "Malformed"),
    extract("cut short before a word", twice(Writes("", stop_reason="max_tokens")), "Malformed"),
    extract("the context is full", twice(Writes("{", stop_reason="model_context_window_exceeded")), "Malformed"),
    Ending("malformed, then whole", [PROSE, fact(sentence())], FACT),
    extract("prose", twice(PROSE), "Malformed"),
    extract("another shape", twice(OTHER), "Malformed"),
    extract("a list", twice(Writes('["fact"]')), "Malformed"),
    extract("half a letter", twice(Writes('{"kind": "ungrounded", "missing": "\\ud83d"}')), "Malformed"),
    extract("ten thousand brackets", twice(Writes('{"a":' * 10_000)), "Malformed"),
    extract("a page in place of a message", twice(Sends(b"<html>captive portal</html>", "text/html"))),
    extract("an error that says 200", twice(Sends(b'{"type": "error", "error": {"type": "overloaded_error"}}'))),
    extract("bytes that are no text", twice(Sends(b'{"type": "\xff'))),
    Ending("a refusal", [Refuses()], WORDS.refusal.model, TurnKind.REFUSAL),
    Ending("a refusal of biology", [Refuses("bio")], WORDS.refusal.model, TurnKind.REFUSAL),
    Ending(
        "a refusal after a first word",
        [Writes('{"kind": "fact", "sentences": [', stop_reason="refusal")],
        WORDS.refusal.model,
        TurnKind.REFUSAL,
    ),
    Ending("too many requests, once", [Fails(429, {"retry-after": "0"}), fact(sentence())], FACT),
    extract("too many requests", twice(Fails(429))),
    extract("too many requests, for a minute", [Fails(429, {"retry-after": "60"})]),
    extract("too many requests, until a day", twice(Fails(429, {"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"}))),
    Ending("overloaded, once", [Fails(529), fact(sentence())], FACT),
    extract("overloaded", twice(Fails(529))),
    extract("a server's error", twice(Fails(500))),
    extract("a gateway's error", twice(Fails(502))),
    extract("no answer", [Hangs()], timeout=0.3),
    extract("no more after a beginning", [Stops(hangs=True)], timeout=0.3),
    extract("a dropped connection", twice(Drops())),
    extract("a connection dropped in the middle", twice(Stops())),
    Ending("a connection dropped once", [Stops(), fact(sentence())], FACT),
    extract("a refused key", [], "Misconfigured", key="sk-wrong"),
    extract("no money left", [Fails(402)], "Misconfigured"),
    extract("a key that may not", [Fails(403)], "Misconfigured"),
    extract("a model that nobody knows", [], "Misconfigured", model="claude-nobody"),
    extract("a request that is not taken", [Fails(400)], "Permanent"),
    extract("a request that is too long", [Fails(413)], "Permanent"),
]


async def turn(ending: Ending) -> tuple[Reply, Trace, ClaudeDouble]:
    traces: list[Trace] = []

    def observe(trace: Trace, _: Evidence) -> None:
        traces.append(trace)

    async with ClaudeDouble(ending.replies) as double, connected(double, **ending.given) as claude:
        engine = (await bench()).engine
        engine = replace(engine, answerer=ClaudeAnswerer(claude, prompt("answer")), observe=observe)
        reply = await engine.respond(said(QUESTION))
    return reply, traces[0], double


@pytest.mark.parametrize("ending", ENDINGS, ids=[one.what for one in ENDINGS])
async def test_each_ending_is_one_that_the_person_can_understand(ending: Ending) -> None:
    reply, trace, double = await turn(ending)
    assert reply.kind is ending.kind
    assert reply.text.startswith(ending.reads) if ending.degraded else reply.text == ending.reads
    [answer] = [span.attributes for span in trace.spans if span.stage == "answer"]
    assert answer.get("degraded") == ending.degraded
    assert not double.replies, "a reply of the script was not asked for"


async def test_a_message_that_no_server_can_be_sent_as_it_is_gets_an_answer() -> None:
    async with ClaudeDouble([fact(sentence())]) as double, connected(double) as claude:
        engine = replace((await bench()).engine, answerer=ClaudeAnswerer(claude, prompt("answer")))
        assert (await engine.respond(said(f"{QUESTION} \ud83d"))).text == FACT


async def test_the_trace_names_the_version_of_the_instructions() -> None:
    _, trace, _ = await turn(ENDINGS[0])
    [answer] = [span.attributes for span in trace.spans if span.stage == "answer"]
    assert answer["prompt"] == prompt("answer").version
