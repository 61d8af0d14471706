"""The blocks that messages and modals are made of, within the limits of Block Kit. Pure.

Source: docs.slack.dev, "Block Kit", and the schemas of Slack's own types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from adapters.slack.tables import Stretch, stretches
from adapters.split import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Block: TypeAlias = dict[str, Any]

SECTION_TEXT = 3_000
BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
ACTION_ELEMENTS = 25
_PADDED = 1.5
"""A table that grows more than so many times by being aligned stays as it is: messages have a limit."""


def plain_text(text: str) -> Block:
    """Text in which nothing is ever read as formatting."""
    return {"type": "plain_text", "text": text, "emoji": False}


def section(text: str) -> Block:
    """Text in Slack's own marks, which has to be escaped already."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def context(text: str) -> Block:
    """A line in small letters."""
    return {"type": "context", "elements": [plain_text(text)]}


def quote(text: str) -> Block:
    """Rich text, since nothing in it is ever read as formatting: a passage stays verbatim, and its tables aligned."""
    found = list(stretches(text))
    if not found or sum(len(one.text) for one in found) > _PADDED * len(text) + BUTTON_TEXT:
        found = [Stretch(text or "…", is_table=False)]
    kinds = {False: "rich_text_quote", True: "rich_text_preformatted"}
    return _rich(*({"type": kinds[one.is_table], "elements": [{"type": "text", "text": one.text}]} for one in found))


def verbatim(text: str) -> Block:
    """The same without a bar beside it."""
    return _rich({"type": "rich_text_section", "elements": [{"type": "text", "text": text}]})


def actions(buttons: Sequence[Block]) -> Iterator[Block]:
    """Buttons in rows."""
    for at in range(0, len(buttons), ACTION_ELEMENTS):
        yield {"type": "actions", "elements": list(buttons[at : at + ACTION_ELEMENTS])}


def button(action: str, number: int, label: str, **more: str) -> Block:
    """A button; `more` is its value or url."""
    return {
        "type": "button",
        "action_id": f"{action}:{number}",
        "text": plain_text(cut(label, BUTTON_TEXT)),
        **more,
    }


def _rich(*elements: Block) -> Block:
    return {"type": "rich_text", "elements": list(elements)}
