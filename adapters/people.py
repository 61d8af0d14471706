"""The people who help, as lines of text: on every platform a number is text, since not every one can dial it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.label import joined
from memory.turn import TurnKind

if TYPE_CHECKING:
    from bot.messages import Reply
    from bot.wording import Wording


def people_lines(reply: Reply, words: Wording) -> str:
    """The people who help, one a line, without those whom a crisis reply's own text has named already."""
    lines = [
        joined(*filter(None, [resource.name, resource.phone, resource.text, resource.hours]))
        for resource in reply.resources
        if reply.kind is not TurnKind.CRISIS or resource.name not in reply.text
    ]
    lead = [words.crisis.mention] if lines and reply.kind is not TurnKind.CRISIS else []
    return "\n".join([*lead, *(f"• {line}" for line in lines)])
