"""What stands in Slack: one message found again, and our own answers taken away."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from adapters.slack.blocks import content, note
from adapters.slack.errors import mapped
from adapters.slack.events import is_direct
from adapters.slack.intake import UNDO_ACTION
from bot.errors import Permanent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from adapters.slack.events import Identity
    from adapters.slack.workspaces import Workspace
    from memory.conversation import Conversation

_LOG = logging.getLogger(__name__)
REPLY_EVENT = "citewell_reply"
"""The type of the metadata that every reply of ours carries."""
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


def answers_key(message: dict[str, Any], me: Identity) -> str | None:
    """The key of the message that this one of ours answers; None for what is no reply of ours."""
    metadata = message.get("metadata") or {}
    if not me.bot or message.get("bot_id") != me.bot or metadata.get("event_type") != REPLY_EVENT:
        return None
    key = (metadata.get("event_payload") or {}).get("key")
    return key if isinstance(key, str) else None


async def take_away(
    here: Workspace,
    conversation: Conversation,
    ts: str,
    answers: Callable[[str], bool],
    instead: str,
) -> int:
    """Delete our replies since `ts` whose key `answers` tells, and say how many went.

    A report on documents that were taken in stays, as they do.

    What Slack does not let us delete says `instead` from then on. Raises our errors.
    """
    try:
        ours = [
            str(message["ts"])
            async for message in _messages(here, conversation, oldest=ts)
            if (key := answers_key(message, here.me)) is not None and answers(key) and not can_be_undone(message)
        ]
    except Permanent as error:
        _LOG.info("answers to a deleted question cannot be looked for: %s", error)
        return 0
    for answer in ours:
        await _remove(here, conversation.channel, answer, instead)
    return len(ours)


def can_be_undone(message: dict[str, Any]) -> bool:
    """Whether it reports on documents that were taken in, which stay until somebody undoes that."""
    elements = [element for block in message.get("blocks") or () for element in block.get("elements") or ()]
    return any(element.get("action_id") == UNDO_ACTION for element in elements)


async def _remove(here: Workspace, channel: str, ts: str, instead: str) -> None:
    try:
        with mapped("chat.delete"):
            await here.client.chat_delete(channel=channel, ts=ts)
    except Permanent as error:
        _LOG.warning("an answer cannot be deleted, its words are taken out instead: %s", error)
        with mapped("chat.update"):
            await here.client.chat_update(channel=channel, ts=ts, **content(note(instead)))


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
