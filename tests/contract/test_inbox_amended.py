"""What every `Inbox` does with a message whose words are changed while it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract.test_inbox import an_entry, inbox

if TYPE_CHECKING:
    from memory.inbox import Inbox

__all__ = ["inbox"]


async def test_other_words_take_the_place_of_those_that_wait(inbox: Inbox) -> None:
    await inbox.accept(an_entry(payload="first words"))
    assert await inbox.amend("k1", "other words")
    assert [entry.payload for entry in await inbox.pending()] == ["other words"]


async def test_what_is_done_or_unknown_is_left_as_it_is(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    await inbox.done("k1")
    assert not await inbox.amend("k1", "other words")
    assert not await inbox.amend("k2", "other words")
    assert list(await inbox.pending()) == []
