"""What stands in Slack: one message found again, and our own answers taken away."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from adapters.slack.blocks import note
from adapters.slack.errors import mapped
from adapters.slack.events import is_direct
from adapters.slack.intake import UNDO_ACTION
from adapters.slack.outlet import update
from adapters.slack.standing import came_of, files_of
from bot.errors import Permanent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.slack.workspaces import Workspace
    from memory.conversation import Conversation

_LOG = logging.getLogger(__name__)
_PAGE = 200
_MOST_PAGES = 20


async def message_at(here: Workspace, conversation: Conversation, ts: str) -> dict[str, Any] | None:
    """The message of this timestamp with its metadata, or None where there is none any more. Raises our errors."""
    try:
        async for message in _messages(here, conversation, oldest=ts, latest=ts):
            if message.get("ts") == ts:
                return message
    except Permanent as error:
        _LOG.info("a message cannot be found again: %s", error)
    return None


async def take_away(here: Workspace, conversation: Conversation, ts: str, key: str, instead: str) -> int:
    """Delete what stands of ours since `ts` because of the question of this key, files too, and say how many went.

    A report on documents that were taken in stays, as they do.

    What Slack does not let us delete says `instead` from then on. Raises our errors.
    """
    try:
        ours = [
            message
            async for message in _messages(here, conversation, oldest=ts)
            if came_of(message, key, here.me) and not can_be_undone(message)
        ]
    except Permanent as error:
        _LOG.info("answers to a deleted question cannot be looked for: %s", error)
        return 0
    for answer in ours:
        for file in files_of(answer, key):
            await _remove_file(here, file)
        await _remove(here, conversation.channel, str(answer["ts"]), instead)
    return len(ours)


def can_be_undone(message: dict[str, Any]) -> bool:
    """Whether it reports on documents that were taken in, which stay until somebody undoes that."""
    elements = [element for block in message.get("blocks") or () for element in block.get("elements") or ()]
    return any(element.get("action_id") == UNDO_ACTION for element in elements)


async def _remove_file(here: Workspace, file: str) -> None:
    """Its message stays behind without it."""
    try:
        with mapped("files.delete"):
            await here.client.files_delete(file=file)
    except Permanent as error:
        _LOG.warning("an answer's file cannot be deleted: %s", error)


async def _remove(here: Workspace, channel: str, ts: str, instead: str) -> None:
    try:
        with mapped("chat.delete"):
            await here.client.chat_delete(channel=channel, ts=ts)
    except Permanent as error:
        _LOG.warning("an answer cannot be deleted, its words are taken out instead: %s", error)
        await update(here.client, channel, ts, note(instead))


async def _messages(
    here: Workspace, conversation: Conversation, *, oldest: str, latest: str | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Those of a thread, or of a direct message outside its threads, from `oldest` on."""
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        asked: dict[str, Any] = {
            "channel": conversation.channel,
            "oldest": oldest,
            "latest": latest,
            "inclusive": True,
            "limit": _PAGE if latest is None else 2,
            "cursor": cursor,
            "include_all_metadata": True,
        }
        if conversation.thread or not is_direct(conversation.channel):
            with mapped("conversations.replies"):
                page = await here.client.conversations_replies(ts=conversation.thread or oldest, **asked)
        else:
            with mapped("conversations.history"):
                page = await here.client.conversations_history(**asked)
        for message in page.get("messages") or ():
            yield message
        cursor = (page.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
