"""The thumbs under an answer: what stands there, and what a click on one says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.messages import Reply
    from bot.wording import Wording

FEEDBACK_ACTION = "feedback"
_GOOD, _BAD = "good", "bad"
_VALUE = re.compile(rf"({_GOOD}|{_BAD}):(\S{{1,200}})")


def feedback(reply: Reply, words: Wording) -> Iterator[dict[str, Any]]:
    """A thumb up and one down, where the documents were asked; never beside the lines for a person in need."""
    if not reply.kind.looked_up or reply.resources:
        return
    buttons = {
        "type": "feedback_buttons",
        "action_id": FEEDBACK_ACTION,
        "positive_button": _button(words.feedback.good, f"{_GOOD}:{reply.trace_id}"),
        "negative_button": _button(words.feedback.bad, f"{_BAD}:{reply.trace_id}"),
    }
    yield {"type": "context_actions", "elements": [buttons]}


def clicked(value: str) -> tuple[str, bool] | None:
    """The trace id of the answer, and whether it was found good; None for what is no value of ours."""
    match = _VALUE.fullmatch(value)
    return None if match is None else (match[2], match[1] == _GOOD)


def _button(label: str, value: str) -> dict[str, Any]:
    return {"text": {"type": "plain_text", "text": label, "emoji": False}, "value": value}
