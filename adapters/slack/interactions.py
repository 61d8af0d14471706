"""Clicks, shortcuts, modals and changes of messages, from Slack's payload to whoever sees to them.

What Slack has to be told at once is told at once; what follows runs beside it and is let go of on `close`.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, assert_never

from adapters.slack import blocks
from adapters.slack.changes import Deleted, Edited, read_change
from adapters.slack.clicks import Click
from adapters.slack.events import PLATFORM, is_direct
from adapters.slack.home import FORGET_ACTION, STAGE_ACTION
from adapters.slack.intake import UNDO_ACTION, replaced
from adapters.slack.payload import BUTTON, LINK_BUTTON, SHORTCUT
from adapters.slack.reasons import REASON_VIEW, sent
from adapters.slack.surfaces import trace_of
from bot.errors import CitewellError
from bot.messages import Author
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from datetime import datetime

    from slack_bolt.async_app import AsyncApp
    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.intake import Intake
    from adapters.slack.app_home import AppHome
    from adapters.slack.edits import Edits
    from adapters.slack.home import HomeOpened
    from adapters.slack.surfaces import Surfaces
    from adapters.slack.users import Users
    from adapters.slack.workspaces import Workspace

_LOG = logging.getLogger(__name__)


class Interactions:
    """Listeners of Bolt, which find the workspace as `here` in its context."""

    def __init__(
        self,
        users: Users,
        *,
        surfaces: Surfaces,
        edits: Edits,
        home: AppHome,
        intake: Intake,
        now: Callable[[], datetime],
    ) -> None:
        self._users = users
        self._surfaces = surfaces
        self._edits = edits
        self._home = home
        self._intake = intake
        self._now = now
        self._beside: set[asyncio.Task[None]] = set()

    def wire(self, bolt: AsyncApp) -> None:
        """Listen to all but events and commands."""
        bolt.action(BUTTON)(self._on_button)
        bolt.action(LINK_BUTTON)(self._on_link_button)
        bolt.action(UNDO_ACTION)(self._on_undo)
        bolt.action(FORGET_ACTION)(self._on_home_button)
        bolt.action(STAGE_ACTION)(self._on_home_button)
        bolt.shortcut(SHORTCUT)(self._on_shortcut)
        bolt.view(REASON_VIEW)(self._on_reason)

    async def close(self) -> None:
        """Let go of what is under way. Calling it again does nothing."""
        for task in tuple(self._beside):
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)

    def home_opened(self, opened: HomeOpened, here: Workspace) -> None:
        """Somebody opened a tab of the app: what they see there follows."""
        self._start(self._show_home(opened, here))

    async def change(self, body: Mapping[str, Any], here: Workspace) -> None:
        """A message was changed or deleted. What must not be lost is done when this returns; the rest follows."""
        match change := read_change(body, here.me, for_files=self._intake.permission.channels):
            case Edited():
                await self._edited(change, here)
            case Deleted():
                if await self._edits.deleted(change):
                    self._start(self._edits.take_back(change, Click(here, change.conversation, Author(change.user))))
            case None:
                return
            case _:
                assert_never(change)

    async def _edited(self, edited: Edited, here: Workspace) -> None:
        if edited.heard is None:
            await self._edits.changed(edited, None)
            return
        channel, outside = edited.conversation.channel, edited.heard.outside
        author = await self._users.author(edited.user, here, channel, outside=outside)
        if await self._edits.changed(edited, edited.heard.message(author, self._now())):
            self._start(self._edits.tell(edited, Click(here, edited.conversation, author)))

    async def _on_link_button(self, ack: AsyncAck) -> None:
        await ack()

    async def _on_button(self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any], here: Workspace) -> None:
        await ack()
        self._start(self._clicked(body, action, here))

    async def _on_shortcut(self, ack: AsyncAck, body: dict[str, Any], here: Workspace) -> None:
        await ack()
        self._start(self._show_sources(body, here))

    async def _on_reason(self, ack: AsyncAck, body: dict[str, Any], here: Workspace) -> None:
        """The modal says what became of it, so that is done before Slack is answered."""
        view = body["view"]
        reason = sent(view.get("private_metadata", ""), (view.get("state") or {}).get("values") or {})
        if reason is None:
            await ack()
            return
        click = await self._click(body, here, channel=reason.channel)
        await ack(response_action="update", view=await self._surfaces.give_reason(click, reason))

    async def _on_undo(self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any], here: Workspace) -> None:
        await ack()
        self._start(self._undo(body, action["value"], here))

    async def _on_home_button(
        self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any], here: Workspace
    ) -> None:
        await ack()
        self._start(self._use_home(body["user"]["id"], action, here))

    async def _undo(self, body: dict[str, Any], record: str, here: Workspace) -> None:
        """Whether this person may undo that here is decided now; what was done is told in place of the report."""
        click = await self._click(body, here)
        done, text = await self._intake.undo(record, click.conversation, click.author)
        channel, ts = click.conversation.channel, click.message_ts
        if not (done and ts and await replaced(here.client, channel, ts, blocks.note(text))):
            await click.whisper(blocks.note(text))

    async def _show_home(self, opened: HomeOpened, here: Workspace) -> None:
        author = await self._users.author(opened.user, here)
        await self._home.opened(opened, here.me.team, author, here.client)

    async def _use_home(self, user: str, action: dict[str, Any], here: Workspace) -> None:
        author = await self._users.author(user, here)
        await self._home.clicked(action["action_id"], action.get("value", ""), here.me.team, author, here.client)

    async def _clicked(self, body: dict[str, Any], action: dict[str, Any], here: Workspace) -> None:
        await self._surfaces.clicked(await self._click(body, here), action["action_id"], action["value"])

    async def _show_sources(self, body: dict[str, Any], here: Workspace) -> None:
        click, message = await self._click(body, here), body["message"]
        key = f"{click.conversation.place}:{message['ts']}"
        await self._surfaces.sources_of(click, trace_id=trace_of(message.get("blocks") or ()), key=key)

    async def _click(self, body: Mapping[str, Any], here: Workspace, *, channel: str = "") -> Click:
        """Where something was clicked, and by whom. In a modal, the place is what was noted when it was opened."""
        user, container = body["user"], body.get("container") or {}
        message, view = body.get("message") or {}, body.get("view") or {}
        channel = channel or (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        channel = channel or view.get("private_metadata", "")
        ts = container.get("message_ts") or message.get("ts") or ""
        thread = container.get("thread_ts") or message.get("thread_ts") or ""
        if is_direct(channel):
            thread = "" if thread == ts else thread  # the first of a thread was written before there was one
        elif "message" in body and "actions" not in body:
            thread = thread or ts
        outside = (user.get("team_id") or here.me.team) != here.me.team
        return Click(
            here,
            Conversation(PLATFORM, here.me.team, channel, thread),
            await self._users.author(user["id"], here, channel, outside=outside),
            trigger=body.get("trigger_id", ""),
            message_ts=ts,
            in_modal=bool(view),
        )

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._beside.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        _LOG.error(
            "could not finish what was asked for: %s",
            error if isinstance(error, CitewellError) else type(error).__name__,
        )
