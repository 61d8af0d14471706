"""The console: messages go to the dispatcher itself, replies are seen as the terminal shows them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.app import utc_now
from adapters.console import PLATFORM, message, rendered
from memory.turn import TurnKind
from tests.golden.platforms import Shown
from tests.golden.settling import settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from adapters.app import Application
    from bot.messages import IncomingMessage, Reply
    from memory.conversation import Conversation
    from tests.golden.platforms import Writer

_WIDTH = 100_000  # no line breaks that the reply itself does not have


class Console:
    """A terminal in which several threads can be held."""

    def __init__(self) -> None:
        self._app: Application | None = None
        self._written = 0
        self._replies: list[Reply] = []

    @property
    def settings(self) -> Mapping[str, object]:
        return {}

    @asynccontextmanager
    async def serving(self, app: Application) -> AsyncIterator[None]:
        app.dispatcher.register(PLATFORM, self)
        self._app = app
        yield
        await app.dispatcher.drain(5.0)

    async def say(self, text: str, *, by: Writer, thread: str, delivered: int) -> Sequence[Shown]:
        assert self._app is not None
        self._written += 1
        typed = message(text, id_=f"m{self._written}", thread=thread, at=utc_now(), guest=by == "guest")
        incoming = replace(typed, author=replace(typed.author, id=by))
        for _ in range(delivered):
            await self._app.dispatcher.accept(incoming)
        await settled(self._app.dispatcher)
        replies, self._replies = self._replies, []
        return [self._shown(reply) for reply in replies]

    def conversation(self, thread: str) -> Conversation:
        return message("", id_="", thread=thread, at=utc_now()).conversation

    async def working(self, message: IncomingMessage) -> None:
        """There is nothing to show."""

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        self._replies.append(reply)

    async def delivered(self, message: IncomingMessage) -> bool:
        return False

    def _shown(self, reply: Reply) -> Shown:
        assert self._app is not None
        beside = () if reply.kind is TurnKind.CRISIS else reply.resources
        resources, sources = [one.url for one in reply.resources], [one.url for one in reply.sources]
        return Shown(
            answer=reply.text,
            beside="\n".join(one.phone or "" for one in beside),
            sources=tuple(" · ".join(filter(None, [one.title, one.locator])) for one in reply.sources),
            links=tuple(url for url in (*resources, *sources) if url),
            everything=rendered(reply, self._app.engine.wording, width=_WIDTH),
            private=reply.private,
        )
