"""A hosted model's client, made when it is first needed."""

from __future__ import annotations

import asyncio
import threading

import pytest

from retrieval.hosted import Later


async def test_it_is_made_once_however_many_ask_together_and_not_before() -> None:
    threads: list[str] = []

    def make() -> object:
        threads.append(threading.current_thread().name)
        return object()

    later = Later(make)
    assert not threads
    assert len(set(await asyncio.gather(*(later.get() for _ in range(5))))) == 1
    assert len(threads) == 1
    assert threads != [threading.current_thread().name]


async def test_what_could_not_be_made_is_tried_again() -> None:
    outcomes = iter([OSError("no room"), None])

    def make() -> str:
        if (error := next(outcomes)) is not None:
            raise error
        return "made"

    later = Later(make)
    with pytest.raises(OSError, match="no room"):
        await later.get()
    assert await later.get() == "made"
