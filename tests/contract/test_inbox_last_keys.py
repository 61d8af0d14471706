"""What every `Inbox` does with the keys that came last, whatever the clock said when they came."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from tests.contract.test_inbox import NOON, an_entry, inbox

if TYPE_CHECKING:
    from memory.inbox import Inbox

__all__ = ["inbox"]


async def test_the_last_keys_stay_however_old_they_seem(inbox: Inbox) -> None:
    for key, minutes in (("first", 2), ("second", 0), ("third", 1)):
        await inbox.accept(an_entry(key, minutes=minutes))
        await inbox.done(key)
    assert await inbox.forget_before(NOON + timedelta(minutes=10), keep=2) == 1
    assert await inbox.accept(an_entry("first")), "forgotten, so it counts as new"
    assert not await inbox.accept(an_entry("second"))
    assert not await inbox.accept(an_entry("third"))
