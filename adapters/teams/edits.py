"""Questions that were changed or deleted.

Changed before its turn began, a question is asked as it reads now; changed later, what was said to it stands. Words of
someone at risk are answered at once, whatever stood there before. Deleted, it is forgotten with every answer to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from adapters.risk import at_risk
from memory.turn import AGAIN, TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.messages import IncomingMessage
    from bot.turn import Memories
    from memory.conversation import Conversation


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
    """What becomes of an edit or a deletion."""

    def __init__(self, questions: Questions, memories: Memories, *, at_risk: Callable[[str], bool] = at_risk) -> None:
        self._questions = questions
        self._memories = memories
        self._at_risk = at_risk

    async def changed(self, message: IncomingMessage, at: str) -> None:
        """The message as it reads now; `at` tells its edits apart."""
        if await self._questions.amend(message):
            return
        if not await self._questions.knows(message.key):
            await self._questions.accept(message)
            return
        if self._at_risk(message.text) and await self._kind(message) is not TurnKind.CRISIS:
            await self._questions.accept(replace(message, id=f"{message.id}{AGAIN}{at}"))

    async def not_for_us(self, key: str) -> None:
        """The message reads now as if said to somebody else. Who was at risk as it stood before is answered still."""
        await self._questions.withdraw(lambda other: other == key, spare_at_risk=True)

    async def deleted(self, where: Conversation, key: str) -> None:
        """Nobody answers it any more, and nothing of it is remembered, once what runs has ended."""
        await self._questions.withdraw(about(key))
        await self._forget(where, key)
        await self._questions.finished(about(key))
        await self._forget(where, key)

    async def _forget(self, where: Conversation, key: str) -> None:
        for guest in (False, True):
            await self._memories.of(guest=guest).forget(conversation=where, message=key)

    async def _kind(self, message: IncomingMessage) -> TurnKind | None:
        """How the question ended last, as far as that is remembered."""
        turns = await self._memories.of(guest=message.author.guest).turns(message.conversation)
        kinds = [turn.kind for turn in turns if about(message.key)(turn.message)]
        return kinds[-1] if kinds else None


def about(key: str) -> Callable[[str], bool]:
    """Tells the keys under which the question of this key was asked."""
    return lambda other: other == key or other.startswith(f"{key}{AGAIN}")
