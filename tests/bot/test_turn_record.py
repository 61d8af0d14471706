"""The record of a finished turn: what it tells of, and whose words it never holds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Fact, Sentence
from bot.turn_record import TurnRecord
from memory.turn import TurnKind
from tests.bot.engine import Bench, bench, said

OPEN = "When is the flu clinic open?"
DANGER = "I want to end my life"


async def recorded(b: Bench, text: str, *, words: bool = True, **said_by: object) -> TurnRecord:
    """The record of one turn."""
    kept: list[TurnRecord] = []
    engine = replace(b.engine, keep=kept.append, may_keep_words=lambda: words)
    await engine.respond(said(text, **said_by))  # type: ignore[arg-type]  # what `said` takes
    (record,) = kept
    return record


async def test_a_record_names_every_stage_in_its_order_with_times_within_the_turn() -> None:
    record = await recorded(await bench(), OPEN)
    names = [stage.name for stage in record.stages]
    assert [name for name in names if name in {"safety", "followup", "retrieval", "answer", "verify", "memory"}] == [
        *("safety", "followup", "retrieval", "answer", "verify", "memory")
    ]
    assert all(stage.began >= 0 and stage.milliseconds >= 0 for stage in record.stages)
    assert [stage.began for stage in record.stages] == sorted(stage.began for stage in record.stages)


async def test_what_was_asked_found_drafted_and_kept_is_there_where_words_may_be() -> None:
    record = await recorded(await bench(), OPEN)
    words = {stage.name: stage.words for stage in record.stages}
    assert record.words["question"] == OPEN
    assert words["retrieval"]["hits"][0]["title"] == "Flu clinic"
    assert words["verify"]["kept"] == [one["text"] for one in words["verify"]["draft"]]


@pytest.mark.parametrize(
    ("text", "words", "guest"), [(OPEN, False, False), (OPEN, True, True), (DANGER, True, False), (DANGER, True, True)]
)
async def test_no_words_where_none_are_allowed_of_no_guest_and_of_nobody_in_danger(
    text: str, words: bool, guest: bool
) -> None:
    record = await recorded(await bench(), text, words=words, guest=guest)
    assert record.words == {}
    assert all(not stage.words for stage in record.stages)
    assert text not in json.dumps(record.as_json())


async def test_a_question_about_the_subject_holds_no_words_either() -> None:
    record = await recorded(await bench(), "What are the warning signs of suicide?")
    assert record.verdict == "Mention"
    assert record.words == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [("What is the capital of Peru?", "nothing found"), ("Who wrote the ward song?", "weak evidence")],
)
async def test_a_decline_says_why(text: str, why: str) -> None:
    assert (await recorded(await bench(), text)).declined == why


async def test_a_decline_by_the_check_says_so_and_why_each_sentence_fell() -> None:
    b = await bench(lambda asked: Fact((Sentence("It opens at 5 am.", asked.evidence.hits[0].passage.id, "nowhere"),)))
    record = await recorded(b, OPEN)
    assert record.declined == "check dropped every sentence"
    (verify,) = (stage for stage in record.stages if stage.name == "verify")
    assert verify.attributes["dropped"] == "quote_not_found"


async def test_a_turn_that_broke_outside_is_recorded_too() -> None:
    kept: list[TurnRecord] = []
    engine = replace((await bench()).engine, keep=kept.append)
    engine.failure(said(OPEN), TimeoutError())
    assert [record.kind for record in kept] == [TurnKind.ERROR]


async def test_a_watcher_that_breaks_costs_nobody_an_answer() -> None:
    def broken(_: TurnRecord) -> None:
        raise OSError("no disk")

    reply = await replace((await bench()).engine, keep=broken).respond(said(OPEN))
    assert reply.kind is TurnKind.FACT


async def test_a_record_is_read_back_as_it_was_written() -> None:
    record = await recorded(await bench(), OPEN)
    read = TurnRecord.from_json(json.loads(json.dumps(record.as_json())))
    assert read.as_json() == record.as_json()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["trace_id", "at", "stages", "kind", "platform", "guest"]), JSON))
def test_what_is_no_record_is_refused_in_one_of_three_ways(given_: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        TurnRecord.from_json(given_)
