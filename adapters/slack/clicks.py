"""A click, a shortcut or a modal that was sent: by whom and where, and how to answer it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack.blocks import content
from adapters.slack.errors import mapped
from adapters.waits import Waits
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from adapters.slack.blocks import Post
    from adapters.slack.passage_view import View
    from adapters.slack.workspaces import Workspace
    from bot.messages import Author
    from memory.conversation import Conversation


ON_CLICK = Waits(tries=4)


@dataclass(frozen=True, slots=True)
class Click:
    """`message_ts` is the message that was clicked, empty in a modal; `trigger` opens one modal, for three seconds.

    What is shown is tried again, as `waits` say, where Slack does not take it just now.
    """

    here: Workspace
    conversation: Conversation
    author: Author
    trigger: str = ""
    message_ts: str = ""
    in_modal: bool = False
    waits: Waits = ON_CLICK

    async def whisper(self, post: Post) -> None:
        """Show something to whoever clicked, and to nobody else, where they clicked."""
        await self.waits.through(lambda: self._whisper(post))

    async def _whisper(self, post: Post) -> None:
        with mapped("chat.postEphemeral"):
            await self.here.client.chat_postEphemeral(
                channel=self.conversation.channel,
                user=self.author.id,
                thread_ts=self.conversation.thread or None,
                **content(post),
            )

    async def show(self, building: Coroutine[Any, Any, View], waiting: View, *, patience: float = 1.0) -> None:
        """Open a modal, on top of the one that was clicked in if there is one.

        What takes longer than `patience` seconds to build is shown once it is there, in the place of `waiting`: a
        trigger does not hold longer than three. Raises what the opening or the building raises.
        """
        built = asyncio.create_task(building)
        try:
            done, _ = await asyncio.wait({built}, timeout=patience)
            opened = await self._open(built.result() if done else waiting)
            if not done:
                shown = await built
                await self.waits.through(lambda: self._update(opened, shown))
        finally:
            built.cancel()
            await asyncio.gather(built, return_exceptions=True)

    async def _update(self, opened: str, view: View) -> None:
        with mapped("views.update"):
            await self.here.client.views_update(view_id=opened, view=view)

    async def _open(self, view: View) -> str:
        if not self.trigger:
            raise NoWindow("it came without a trigger")
        try:
            if self.in_modal:
                with mapped("views.push"):
                    opened = await self.here.client.views_push(trigger_id=self.trigger, view=view)
            else:
                with mapped("views.open"):
                    opened = await self.here.client.views_open(trigger_id=self.trigger, view=view)
        except CitewellError as error:
            raise NoWindow(str(error)) from error
        return str((opened.get("view") or {}).get("id", ""))


class NoWindow(Permanent):
    """A modal could not be opened: most often its trigger is no longer good."""
