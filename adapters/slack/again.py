"""Asking a question again: the buttons that do it, and the keys by which each click is one turn.

What is asked again has an id of its own, made of the question's and that of the message whose button was clicked, so a
second click is a duplicate, and what belongs to a question is known by its key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.slack.kit import actions, button
from memory.turn import AGAIN, TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.slack.kit import Block
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

RETRY_ACTION = "retry"
ASK_ACTION = "again"
_TIMESTAMP = re.compile(r"\d{1,20}\.\d{1,20}")
_VALUE = re.compile(r"(\d{1,20}\.\d{1,20})@(\d{1,20}\.\d{1,20})?")


def asked_at(message: IncomingMessage) -> str:
    """The timestamp of the question as it stands in Slack, however often it was asked; empty for a comment's words."""
    ts = question_ts(message.id)
    return ts if _TIMESTAMP.fullmatch(ts) else ""


def question_ts(message_id: str) -> str:
    """The same of a message's id."""
    return message_id.partition(AGAIN)[0]


def id_again(ts: str, clicked: str) -> str:
    """The id of a question when it is asked again; `clicked` is the timestamp of what made that happen."""
    return f"{ts}{AGAIN}{clicked}"


def about(key: str) -> Callable[[str], bool]:
    """Tells the keys under which the question of this key was asked."""
    return lambda other: other.partition(AGAIN)[0] == key


def retry(reply: Reply, words: Wording) -> Iterator[Block]:
    """Under an error, unless asking the same again cannot help."""
    if reply.kind is TurnKind.ERROR and reply.text != words.error.too_long:
        yield from actions([button(RETRY_ACTION, 0, words.again.retry, value=reply.trace_id or RETRY_ACTION)])


def ask_button(ts: str, thread: str, words: Wording) -> Block:
    """What asks the question at `ts` of a thread again."""
    return button(ASK_ACTION, 0, words.again.ask, value=f"{ts}@{thread}")


def to_ask(value: str) -> tuple[str, str] | None:
    """The question's timestamp and its thread, or None for what is no value of ours."""
    match = _VALUE.fullmatch(value)
    return None if match is None else (match[1], match[2] or "")
