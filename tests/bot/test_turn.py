"""One turn, whole, and the promises it keeps."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Answer, Fact, Sentence, Ungrounded
from bot.errors import Misconfigured, Permanent, Refused, Transient
from bot.messages import TurnKind
from bot.wording import wording
from memory.errors import MemoryUnavailable
from memory.ram import RamMemory
from memory.replay import Exchange
from retrieval.errors import RetrievalError
from tests.bot.engine import CONVERSATION, bench, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answerer import Asked
    from bot.trace import Trace
    from memory.conversation import Conversation
    from memory.turn import Turn
    from retrieval.evidence import Evidence

WORDS = wording()
OPEN = "When is the flu clinic open?"
UNKNOWN = "What is the capital of Peru?"


class BrokenMemory(RamMemory):
    """A memory whose disk is gone."""

    async def record(self, turn: Turn) -> None:
        raise MemoryUnavailable("the disk is gone")

    async def turns(self, conversation: Conversation, *, limit: int = 50) -> Sequence[Turn]:
        raise MemoryUnavailable("the disk is gone")


def raising(error: Exception) -> object:
    """A scripted model that fails so."""

    def write(_: Asked) -> Answer:
        raise error

    return write


async def test_a_question_is_answered_from_its_document_with_its_source() -> None:
    b = await bench()
    reply = await b.engine.respond(said(OPEN))
    assert reply.kind is TurnKind.FACT
    assert reply.text == "The flu clinic is open on Tuesdays from 9 am to 12 noon. [1]"
    (source,) = reply.sources
    assert (source.title, source.url) == ("Flu clinic", "https://larkfield.example/1")
    assert source.quote == "The flu clinic is open on Tuesdays from 9 am to 12 noon."
    assert 0 < (reply.confidence or 0) <= 1


async def test_what_the_documents_lack_is_declined_and_no_model_is_asked() -> None:
    b = await bench()
    reply = await b.engine.respond(said(UNKNOWN))
    assert reply.kind is TurnKind.UNGROUNDED
    assert WORDS.answer.ungrounded in reply.text
    assert b.answerer.asked == []


async def test_an_empty_index_says_that_it_has_no_documents() -> None:
    b = await bench(leaflets={})
    assert (await b.engine.respond(said(OPEN))).text.startswith(WORDS.answer.empty_index)


async def test_a_draft_that_no_passage_bears_becomes_a_decline() -> None:
    b = await bench(lambda _: Fact((Sentence("It is open on Fridays.", "d1#1", "The flu clinic is open on Tuesdays"),)))
    reply = await b.engine.respond(said(OPEN))
    assert (reply.kind, reply.sources) == (TurnKind.UNGROUNDED, ())
    assert "Friday" not in reply.text


async def test_links_that_the_model_writes_are_never_shown() -> None:
    quote = "The flu clinic is open on Tuesdays"
    text = f"{quote} ([book](https://evil.example), https://evil.example, ![x](https://evil.example/x)) <@U1>."
    b = await bench(lambda _: Fact((Sentence(text, "d1#1", quote),)))
    reply = await b.engine.respond(said(OPEN))
    assert reply.kind is TurnKind.FACT
    assert not any(sign in reply.text for sign in ("evil", "http", "<@", "!["))
    assert [source.url for source in reply.sources] == ["https://larkfield.example/1"]


async def test_every_turn_searches_even_a_follow_up() -> None:
    b = await bench()
    await b.engine.respond(said(OPEN))
    await b.engine.respond(said("And for children?"))
    second = b.answerer.asked[1]
    assert {"flu", "clinic", "children"} <= set(second.question.lower().strip("?").split())
    assert "Children" in {hit.document.title for hit in second.evidence.hits}


@pytest.mark.parametrize("text", ["hi", "thanks a lot", "help"])
async def test_courtesies_need_no_search(text: str) -> None:
    b = await bench()
    reply = await b.engine.respond(said(text))
    assert (reply.kind, b.answerer.asked) == (TurnKind.COURTESY, [])


async def test_a_person_in_crisis_gets_lines_of_their_country_in_private_and_no_search() -> None:
    b = await bench()
    reply = await b.engine.respond(said("I want to kill myself"))
    assert (reply.kind, reply.private, b.answerer.asked) == (TurnKind.CRISIS, True, [])
    assert any("116 123" in (resource.phone or "") for resource in reply.resources)


async def test_a_crisis_turn_is_remembered_as_a_kind_only() -> None:
    b = await bench()
    await b.engine.respond(said("I want to kill myself"))
    (turn,) = await b.durable.turns(CONVERSATION)
    assert turn.kind is TurnKind.CRISIS
    assert (turn.question, turn.standalone, turn.text, turn.sources) == ("", "", "", ())


async def test_a_gate_that_breaks_takes_the_safe_branch() -> None:
    def broken(_: str) -> object:
        raise RuntimeError("I want to")

    b = await bench(gate=broken)  # type: ignore[arg-type]
    assert (await b.engine.respond(said(OPEN))).kind is TurnKind.CRISIS


async def test_a_crisis_reply_needs_no_memory_and_no_index() -> None:
    b = await bench(memory=BrokenMemory())
    engine = replace(b.engine, index=None, searcher=None)  # type: ignore[arg-type]  # touching either would raise
    assert (await engine.respond(said("I want to kill myself"))).resources


async def test_information_about_self_harm_is_answered_with_the_lines_outside_the_text() -> None:
    b = await bench(leaflets={"Signs": "Signs of suicide risk in teenagers include giving away belongings."})
    reply = await b.engine.respond(said("What are the signs of suicide risk in teenagers?"))
    assert reply.kind is TurnKind.FACT
    assert reply.resources
    assert not any(resource.phone and resource.phone in reply.text for resource in reply.resources)


async def test_the_lines_stand_beside_an_error_too() -> None:
    b = await bench(raising(Transient("x")), fallback=_Broken())  # type: ignore[arg-type]
    reply = await b.engine.respond(said("Does the flu clinic have a leaflet on the signs of suicide?"))
    assert reply.kind is TurnKind.ERROR
    assert reply.resources


async def test_a_turn_that_breaks_still_gives_a_person_in_crisis_the_lines() -> None:
    b = await bench()
    crisis = b.engine.failure(said("I want to kill myself"), TimeoutError())
    assert (crisis.kind, crisis.private, bool(crisis.resources)) == (TurnKind.CRISIS, True, True)
    about = b.engine.failure(said("What are the signs of suicide in teenagers?"), TimeoutError())
    assert (about.kind, bool(about.resources)) == (TurnKind.ERROR, True)
    assert b.engine.failure(said(OPEN), TimeoutError()).resources == ()


async def test_a_threat_is_refused_and_never_searched() -> None:
    b = await bench()
    reply = await b.engine.respond(said("I am going to kill my neighbour"))
    assert (reply.kind, reply.text, b.answerer.asked) == (TurnKind.REFUSAL, WORDS.refusal.violence, [])


@pytest.mark.parametrize("error", [Transient("busy"), Permanent("bad request"), Misconfigured("bad key")])
async def test_a_model_that_fails_is_replaced_by_extracts(error: Exception) -> None:
    b = await bench(raising(error))  # type: ignore[arg-type]
    reply = await b.engine.respond(said(OPEN))
    assert reply.kind is TurnKind.FACT
    assert "Tuesdays" in reply.text


async def test_a_model_that_refuses_is_a_refusal() -> None:
    b = await bench(raising(Refused("bio")))  # type: ignore[arg-type]
    reply = await b.engine.respond(said(OPEN))
    assert (reply.kind, reply.text) == (TurnKind.REFUSAL, WORDS.refusal.model)


async def test_an_error_shows_a_reference_and_nothing_of_the_exception() -> None:
    b = await bench(raising(Transient("x")), fallback=_Broken())  # type: ignore[arg-type]
    reply = await b.engine.respond(said(OPEN))
    assert reply.kind is TurnKind.ERROR
    assert reply.trace_id in reply.text
    assert "secret" not in reply.text


class _Broken:
    name = "broken"

    async def answer(self, *_: object) -> Answer:
        raise RetrievalError("secret path")


async def test_memory_failing_costs_memory_only() -> None:
    b = await bench(memory=BrokenMemory())
    assert (await b.engine.respond(said(OPEN))).kind is TurnKind.FACT


async def test_guests_leave_nothing_in_the_durable_memory_and_are_still_understood() -> None:
    b = await bench()
    await b.engine.respond(said(OPEN, guest=True))
    await b.engine.respond(said("And for children?", guest=True))
    assert "flu" in b.answerer.asked[1].question
    assert await b.durable.turns(CONVERSATION) == ()
    assert len(await b.guests.turns(CONVERSATION)) == 2


async def test_guests_are_shown_public_collections_only() -> None:
    b = await bench(collection="staff")
    assert (await b.engine.respond(said(OPEN, guest=True))).kind is TurnKind.UNGROUNDED
    assert (await b.engine.respond(said(OPEN))).kind is TurnKind.FACT


async def test_an_overlong_message_is_told_so() -> None:
    b = await bench()
    assert (await b.engine.respond(said("flu " * 3000))).text == WORDS.error.too_long


async def test_logs_hold_no_words_of_people_or_documents(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    b = await bench()
    for text in (OPEN, UNKNOWN, "I want to kill myself", "thanks"):
        await b.engine.respond(said(text))
    logged = caplog.text.lower()
    assert "fact" in logged
    assert not any(word in logged for word in ("peru", "tuesdays", "myself", "flu clinic"))


SCRIPT = st.sampled_from(
    [OPEN, UNKNOWN, "I want to kill myself", "And for children?", "hi", "refuse this flu clinic", "decline visiting"]
)


@given(st.lists(SCRIPT, max_size=8))
async def test_only_clean_turns_are_ever_seen_by_a_model_again(texts: list[str]) -> None:
    def write(asked: Asked) -> Answer:
        if "refuse" in asked.question:
            raise Refused("no")
        if "decline" in asked.question:
            return Ungrounded()
        passage = asked.evidence.hits[0].passage
        sentence = passage.text.split(". ")[0] + "."
        return Fact((Sentence(sentence, passage.id, sentence),))

    b = await bench(write)
    facts: list[str] = []
    for text in texts:
        reply = await b.engine.respond(said(text))
        for asked in b.answerer.asked:
            assert {said.answer for said in asked.history if isinstance(said, Exchange)} <= set(facts)
        if reply.kind is TurnKind.FACT:
            facts.append(reply.text)


async def test_a_mention_without_words_is_told_what_can_be_asked() -> None:
    b = await bench()
    assert (await b.engine.respond(said("  "))).text == WORDS.courtesy.help


async def test_who_observes_sees_what_was_found_and_the_whole_trace_in_the_end() -> None:
    seen: list[tuple[Trace, Evidence]] = []
    made = await bench()
    watched = replace(made.engine, observe=lambda trace, evidence: seen.append((trace, evidence)))
    reply = await watched.respond(said("When is the flu clinic open?"))
    await watched.respond(said("hello"))
    ((trace, evidence),) = seen
    assert trace.id == reply.trace_id
    assert evidence.hits
    assert [span.stage for span in trace.spans][-3:] == ["answer", "verify", "memory"]
