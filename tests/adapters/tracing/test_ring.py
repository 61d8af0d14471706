"""The last turns in memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from adapters.tracing.ring import Ring
from tests.adapters.tracing.records import SEARCH, a_record


def test_the_oldest_go_when_it_is_full() -> None:
    ring = Ring(2)
    for name in ("a", "b", "c"):
        ring.keep(a_record(name))
    assert [record.trace_id for record in ring.last(10)] == ["b", "c"]
    assert ring.find("a") is None
    assert ring.last(0) == []


async def test_who_follows_gets_what_ends_from_now_on() -> None:
    ring = Ring()
    ring.keep(a_record("before"))
    following = ring.follow()
    next_one = asyncio.ensure_future(anext(following))
    await asyncio.sleep(0)
    ring.keep(a_record("after"))
    assert (await next_one).trace_id == "after"
    await following.aclose()  # type: ignore[attr-defined]  # it is a generator


async def test_who_follows_too_slowly_holds_nobody_up_and_loses_the_oldest() -> None:
    ring = Ring()
    following = ring.follow()
    first = asyncio.ensure_future(anext(following))
    await asyncio.sleep(0)
    for number in range(150):
        ring.keep(a_record(str(number)))
    assert (await first).trace_id == "50"
    await following.aclose()  # type: ignore[attr-defined]


def test_words_go_from_all_of_them_once_anybody_is_forgotten() -> None:
    ring = Ring()
    stage = replace(SEARCH, words={"hits": ["a passage"]})
    ring.keep(a_record(words={"question": "When?"}, stages=(stage,)))
    ring.forget_words()
    (record,) = ring.last(1)
    assert record == a_record(stages=(SEARCH,))
