"""One turn whose answer is shown as it passes its check, with Claude's real SDK as the writer."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.claude import ClaudeAnswerer
from bot.entailment import ScriptedEntailment
from bot.messages import TurnKind
from bot.prompts import prompt
from bot.wording import wording
from tests.bot.engine import bench, said
from tests.doubles.claude import Breaks, ClaudeDouble, Says, Scripted, connected

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.messages import Reply
    from bot.turn import Engine
    from bot.verify import Statement

QUESTION = "When is the flu clinic open?"
FLU = "The flu clinic is open on Tuesdays from 9 am to 12 noon. Bring your clinic card. It is free. Dogs stay outside."
OPEN, CARD, FREE, DOGS = (
    "The flu clinic is open on Tuesdays from 9 am to 12 noon.",
    "Bring your clinic card.",
    "It is free.",
    "Dogs stay outside.",
)
WRONG = "The flu clinic is open on Fridays."
IN_OTHER_WORDS = "On Tuesdays, the flu clinic is open."


def fact(*texts: str) -> dict[str, Any]:
    quotes = {WRONG: OPEN, IN_OTHER_WORDS: OPEN}
    sentences = [{"text": text, "passage_id": "p1", "quote": quotes.get(text, text)} for text in texts]
    return {"kind": "fact", "sentences": sentences, "missing": ""}


WHOLE = fact(OPEN, CARD, FREE, DOGS)
BEGUN = f"{OPEN} {CARD}"


@asynccontextmanager
async def engine(*replies: Scripted, **parts: Any) -> AsyncIterator[tuple[Engine, ClaudeDouble]]:
    made = await bench(leaflets={"Flu clinic": FLU})
    async with ClaudeDouble(replies) as double, connected(double) as claude:
        yield replace(made.engine, answerer=ClaudeAnswerer(claude, prompt("answer")), **parts), double
        assert (double.refused, double.replies) == ([], [])


async def asked(*replies: Scripted, question: str = QUESTION, **parts: Any) -> tuple[Reply, list[str]]:
    shown: list[str] = []
    async with engine(*replies, **parts) as (answering, _):
        return await answering.respond(said(question), shown.append), shown


async def test_sentences_are_shown_while_the_rest_is_still_being_written() -> None:
    shown: list[str] = []
    async with engine(Breaks(WHOLE, DOGS, "waits")) as (answering, double):
        turn = asyncio.create_task(answering.respond(said(QUESTION), shown.append))
        async with asyncio.timeout(20):
            while len(shown) < 2:  # noqa: ASYNC110 - it is told by a call
                await asyncio.sleep(0.002)
        assert shown == [BEGUN, f"{BEGUN} {FREE}"]
        assert not turn.done()
        double.go.set()
        assert (await turn).text == f"{BEGUN} {FREE} {DOGS} [1]"


DRAFTS = [
    fact(OPEN),
    fact(OPEN, CARD),
    fact(OPEN, CARD, FREE, DOGS),
    fact(OPEN, WRONG),
    fact(WRONG, OPEN, CARD),
    fact(OPEN, CARD, WRONG, FREE),
    {"kind": "ungrounded", "sentences": [], "missing": "flu clinic"},
]


@pytest.mark.parametrize("draft", DRAFTS)
async def test_the_reply_is_the_same_whether_or_not_it_is_shown_early(draft: dict[str, Any]) -> None:
    shown_early, shown = await asked(Says(draft))
    async with engine(Says(draft)) as (answering, double):
        at_once = await answering.respond(said(QUESTION))
        assert double.requests[0]["stream"] is False
    assert shown_early == at_once
    assert all(at_once.text.startswith(text) for text in shown)
    assert not any(WRONG in text for text in shown)


@pytest.mark.parametrize("then", ["drops", "ends", "fails", "babbles"])
async def test_a_stream_that_breaks_off_goes_on_where_the_second_reply_begins_alike(then: Any) -> None:
    reply, shown = await asked(Breaks(WHOLE, FREE, then), Says(WHOLE))
    assert shown == [BEGUN, f"{BEGUN} {FREE}"]
    assert reply.text == f"{BEGUN} {FREE} {DOGS} [1]"


async def test_a_second_reply_in_other_words_shows_nothing_until_the_reply() -> None:
    reply, shown = await asked(Breaks(WHOLE, FREE, "drops"), Says(fact(IN_OTHER_WORDS, CARD, FREE)))
    assert shown == [BEGUN]
    assert reply.text == f"{IN_OTHER_WORDS} {CARD} {FREE} [1]"


async def test_extracts_take_over_from_a_stream_that_breaks_off_twice() -> None:
    broken = Breaks(WHOLE, FREE, "drops")
    reply, shown = await asked(broken, broken)
    assert shown == [BEGUN]
    assert reply.kind is TurnKind.FACT
    assert reply.text.count(OPEN) == 1


async def test_a_model_that_refuses_after_it_began_has_refused() -> None:
    reply, shown = await asked(Breaks(WHOLE, FREE, "refuses"))
    assert (shown, reply.kind, reply.text) == ([BEGUN], TurnKind.REFUSAL, wording().refusal.model)


async def test_an_answer_that_falls_in_the_end_is_a_decline_whatever_was_shown() -> None:
    wrongs = ["Come on Mondays.", "Come on Sundays."]
    draft = fact(OPEN, CARD, *wrongs)
    for sentence in draft["sentences"][2:]:
        sentence["quote"] = OPEN
    reply, shown = await asked(Says(draft))
    assert (shown, reply.kind) == ([BEGUN], TurnKind.UNGROUNDED)


async def test_an_answer_beside_which_crisis_lines_stand_comes_whole() -> None:
    question = "Does the flu clinic have a leaflet on the signs of suicide?"
    reply, shown = await asked(Says(WHOLE), question=question)
    assert reply.resources
    assert (shown, reply.kind) == ([], TurnKind.FACT)


async def test_with_a_second_opinion_what_does_not_follow_is_neither_shown_nor_told() -> None:
    def judge(statement: Statement) -> Any:
        return "no" if statement.text == IN_OTHER_WORDS else "yes"

    reply, shown = await asked(Says(fact(OPEN, CARD, IN_OTHER_WORDS, DOGS)), entailment=ScriptedEntailment(judge))
    assert shown[0] == BEGUN
    assert reply.text == f"{BEGUN} {DOGS} [1]"
    assert not any(IN_OTHER_WORDS in text for text in shown)


async def test_logs_hold_nothing_of_what_was_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")
    broken = Breaks(WHOLE, FREE, "drops")
    await asked(broken, broken, entailment=ScriptedEntailment())
    assert caplog.text
    assert not any(word in caplog.text for word in ("Tuesdays", "card", "flu clinic"))
