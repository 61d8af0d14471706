"""A reply as Teams shows it: words, then people who help, then the sources on a card of their own.

Pure: nothing here asks or sends anything. Each activity is plain JSON without addressing, which delivery adds.
Everything on a button or in a citation comes from the index's records (promise 1), and Teams' limits live here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from adapters.label import source_label
from adapters.link import web_url
from adapters.people import people_lines
from adapters.split import split
from adapters.teams.actions import Action, dialog, open_url, sets, source_action, submit
from adapters.teams.entities import message_entity
from adapters.teams.markdown import escape, link, readable, teams_markdown
from adapters.teams.passages import attachment, card, passage, passages, subtle
from memory.turn import TurnKind

if TYPE_CHECKING:
    from bot.messages import Reply
    from bot.wording import Wording

__all__ = ["Activity", "activities", "note", "passage", "passages", "plain_activities", "too_big"]

Activity: TypeAlias = dict[str, Any]

MESSAGE_BYTES = 90_000
"""Of a message's JSON in UTF-16. Teams refuses 100 KB (413, MessageSizeTooBig); the rest is for addressing."""
MESSAGE_TEXT = 4_000
"""Characters of an answer in one message, before they are escaped."""
SOURCE_BUTTONS = 24

_MARKER = re.compile(r"\[(\d{1,3})\]")


def activities(reply: Reply, words: Wording, *, retry: str | None = None) -> tuple[Activity, ...]:
    """The messages that show a reply: one, unless its text is longer than a message may be.

    Sources, confidence, people and the thumbs stand with the last one. A courtesy that has sources is the answer to
    "sources": it shows them in full. `retry` is the id of the message that a fault's button asks again; without it
    there is no button. All of it is shown alike in chats and channels.
    """
    if reply.kind is TurnKind.COURTESY and reply.sources:
        return (note(reply.text) | _carrying(passages(reply.sources, words)),)
    texts = _texts(reply, words)
    shown = [_answer_part(text, reply, words) for text in texts]
    last = shown[-1]
    if body := _below(reply, words, retry):
        last |= _carrying(card(*body))
    if reply.kind.looked_up and not reply.resources:
        last["channelData"] = {"feedbackLoop": {"type": "default"}}
    return tuple(shown)


def plain_activities(reply: Reply, words: Wording) -> tuple[Activity, ...]:
    """The same reply as text alone, for when Teams refuses it: sources and people as lines, links as links."""
    texts = [teams_markdown(text, _numbers(reply), _addresses(reply)) for text in _texts(reply, words)]
    sources = [
        label if (url := web_url(source.url)) is None else link(label, url)
        for source in reply.sources[:SOURCE_BUTTONS]
        for label in [escape(source_label(source, words))]
    ]
    if sources:
        texts.append("\n\n".join(sources))
    return tuple(_message(text) for text in texts)


def note(text: str) -> Activity:
    """One of our own fixed sentences."""
    return _message(teams_markdown(readable(text)))


def too_big(activity: Activity) -> bool:
    """Whether Teams would refuse it for its size."""
    return len(json.dumps(activity, ensure_ascii=False).encode("utf-16-le", "surrogatepass")) > MESSAGE_BYTES


def _texts(reply: Reply, words: Wording) -> list[str]:
    """The answer's words and the people who help, in parts, not escaped yet."""
    whole = "\n\n".join(filter(None, [readable(reply.text), people_lines(reply, words)]))
    return split(whole, MESSAGE_TEXT) or ["…"]


def _answer_part(text: str, reply: Reply, words: Wording) -> Activity:
    """A part of an answer; of one from the documents, with its label and those sources that it names."""
    message = _message(teams_markdown(text, _numbers(reply), _addresses(reply)))
    if reply.kind is TurnKind.FACT:
        named = {int(found[1]) for found in _MARKER.finditer(text)}
        message["entities"] = [message_entity([one for one in reply.sources if one.n in named], words)]
    return message


def _numbers(reply: Reply) -> frozenset[int]:
    return frozenset(source.n for source in reply.sources)


def _addresses(reply: Reply) -> list[str]:
    """Those of the people who help, longest first: they may stand in the text."""
    found = {url for resource in reply.resources if (url := web_url(resource.url)) is not None}
    return sorted(found, key=len, reverse=True)


def _message(text: str) -> Activity:
    """Teams refuses one that says nothing."""
    return {"type": "message", "textFormat": "markdown", "text": text if text.strip() else "…"}


def _carrying(content: dict[str, Any]) -> dict[str, Any]:
    return {"attachments": [attachment(content)]}


def _below(reply: Reply, words: Wording, retry: str | None) -> list[dict[str, Any]]:
    """What stands on the card below an answer, people before sources; nothing where there is neither."""
    people = [
        open_url(resource.name, url) for resource in reply.resources if (url := web_url(resource.url)) is not None
    ]
    body = [*sets(people), *sets(_source_buttons(reply, words))]
    if reply.confidence is not None:
        body.append(subtle(words.confidence.of(reply.confidence)))
    if reply.kind is TurnKind.ERROR and retry is not None:
        body += sets([submit(words.error.retry, "retry", key=retry)])
    return body


def _source_buttons(reply: Reply, words: Wording) -> list[Action]:
    """A button for each source, and one for all their passages."""
    each = [action for source in reply.sources[:SOURCE_BUTTONS] if (action := source_action(source, words)) is not None]
    more = [dialog(words.lookups.more_button, "more", id=reply.more)] if reply.more else []
    return [*each, dialog(words.sources.button, "sources"), *more] if reply.sources else []
