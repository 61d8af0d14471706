"""Questions that were changed or deleted.

Changed before its turn began, a question is asked as it reads now. Changed later, what was said to it stands, and its
author is told so, once an edit and for them alone, with a button that asks it again. Words of someone at risk are
answered at once, whatever stood there before. Deleted, it is forgotten with every answer to it.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from adapters.risk import at_risk
from adapters.slack import blocks
from adapters.slack.again import about, ask_button, id_again
from adapters.slack.events import Reason
from adapters.slack.history import take_away
from adapters.waits import Waits
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.forgetting import Forgetter
    from adapters.slack.changes import Change, Deleted, Edited
    from adapters.slack.clicks import Click
    from bot.messages import IncomingMessage
    from bot.turn import Memories
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
_FRESH_SECONDS = 24 * 60 * 60
_MOST_TOLD = 1_000
_MOST_TURNS = 1_000


class Questions(Protocol):
    """Where questions wait and run: the dispatcher."""

    async def accept(self, message: IncomingMessage) -> bool:
        """Store it before returning; False for a duplicate."""
        ...

    async def knows(self, key: str) -> bool:
        """Whether it was ever taken in."""
        ...

    async def amend(self, message: IncomingMessage) -> bool:
        """Ask these words in place of those that wait."""
        ...

    async def withdraw(self, matches: Callable[[str], bool], *, spare_at_risk: bool = False) -> None:
        """Answer none with such a key; with `spare_at_risk`, only those in which nobody is at risk."""
        ...

    async def finished(self, matches: Callable[[str], bool]) -> None:
        """Return once none with such a key waits or runs."""
        ...


class Edits:
    """What becomes of an edit or a deletion. The first half of each is done before Slack is told that it arrived."""

    def __init__(
        self,
        questions: Questions,
        memories: Memories,
        forgetter: Forgetter,
        words: Wording,
        *,
        at_risk: Callable[[str], bool] = at_risk,
        waits: Waits | None = None,
    ) -> None:
        self._questions = questions
        self._memories = memories
        self._forgetter = forgetter
        self._words = words
        self._at_risk = at_risk
        self._waits = waits or Waits(tries=8)
        self._told: OrderedDict[str, None] = OrderedDict()

    async def changed(self, edited: Edited, message: IncomingMessage | None) -> bool:
        """Whether the author is to be told, by `tell`, that what was said stands. `message` is None if not for us."""
        if message is None or edited.heard is None:
            if await self._questions.knows(edited.key):
                await self._questions.withdraw(lambda key: key == edited.key, spare_at_risk=True)
            return False
        again = replace(message, id=id_again(edited.ts, edited.edited_ts))
        if await self._questions.amend(message) or await self._questions.knows(again.key):
            return False
        if not await self._questions.knows(edited.key):
            fresh = float(edited.edited_ts) - float(edited.ts) < _FRESH_SECONDS
            if fresh and edited.heard.reason is not Reason.THREAD:
                await self._questions.accept(message)
            return False
        if self._at_risk(message.text) and await self._kind(edited) is not TurnKind.CRISIS:
            await self._questions.accept(again)
            return False
        return self._first_time(again.key)

    async def tell(self, edited: Edited, click: Click) -> None:
        """Say to the author that what was said is about the question as it was, once it has been said.

        Words beside files that were taken in were no question, and are met with nothing.
        """
        await self._questions.finished(about(edited.key))
        kind = await self._kind(edited)
        taken_in = kind is None and edited.heard is not None and bool(edited.heard.files)
        if taken_in or kind is TurnKind.CRISIS:
            return
        button = ask_button(edited.ts, edited.conversation.thread, self._words)
        await click.whisper(blocks.note(self._words.again.edited, button))

    async def deleted(self, deleted: Deleted) -> bool:
        """Forget it, and let nobody answer it; whether its answers are to be looked for, by `take_back`."""
        if not await self._questions.knows(deleted.key) and not await self._kinds(deleted):
            return False
        await self._forget(deleted)
        await self._questions.withdraw(about(deleted.key))
        return True

    async def take_back(self, deleted: Deleted, click: Click) -> None:
        """Take away what stands in Slack in answer to it, and forget what was still being said."""
        await self._questions.finished(about(deleted.key))
        await self._forget(deleted)
        gone = await self._waits.through(
            lambda: take_away(
                click.here,
                deleted.conversation,
                deleted.ts,
                deleted.key,
                self._words.again.withdrawn,
            )
        )
        _LOG.info("%s was deleted, and with it what answered it: %d", deleted.key, gone)

    async def _forget(self, deleted: Deleted) -> int:
        return await self._forgetter.message(deleted.conversation, author=deleted.user, key=deleted.key)

    async def _kind(self, edited: Edited) -> TurnKind | None:
        """How the question ended last, as far as that is remembered."""
        kinds = await self._kinds(edited)
        return max(kinds)[1] if kinds else None

    async def _kinds(self, change: Change) -> list[tuple[datetime, TurnKind]]:
        """How it ended each time that it was asked."""
        return [
            (turn.at, turn.kind)
            for guest in (False, True)
            for turn in await self._memories.of(guest=guest).turns(change.conversation, limit=_MOST_TURNS)
            if about(change.key)(turn.message)
        ]

    def _first_time(self, key: str) -> bool:
        """False where the same edit was brought before."""
        if key in self._told:
            return False
        self._told[key] = None
        if len(self._told) > _MOST_TOLD:
            self._told.popitem(last=False)
        return True
