"""A modal that asks why an answer was marked down, and what a person sends with it: both fields may stay empty."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack.kit import plain_text, section
from adapters.slack.mrkdwn import plain
from adapters.slack.passage_view import VIEW_TITLE, view
from adapters.split import cut
from memory.turn import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.slack.kit import Block
    from adapters.slack.passage_view import View
    from bot.wording import Wording

REASON_VIEW = "reason"
COMMENT_LENGTH = 1_000
_FAULT, _COMMENT = "fault", "comment"
_ABOUT = re.compile(r"(\S{1,200}) ([A-Z0-9]{1,50})")


@dataclass(frozen=True, slots=True)
class Reason:
    """What a person said of the answer of a trace, in a channel."""

    trace_id: str
    channel: str
    fault: Fault | None
    comment: str


def reason_view(trace_id: str, channel: str, words: Wording) -> View:
    """The modal; what it is about goes with it as ids, and comes back from Slack alone."""
    says = words.feedback
    choices = [{"text": plain_text(cut(says.faults[fault], 75)), "value": fault.value} for fault in Fault]
    return view(
        says.why,
        [
            section(plain(says.invitation)),
            _input(_FAULT, says.reason, {"type": "radio_buttons", "options": choices}),
            _input(
                _COMMENT, says.comment, {"type": "plain_text_input", "multiline": True, "max_length": COMMENT_LENGTH}
            ),
        ],
        words,
        callback_id=REASON_VIEW,
        submit=plain_text(cut(says.send, VIEW_TITLE)),
        close=plain_text(cut(says.skip, VIEW_TITLE)),
        private_metadata=f"{trace_id} {channel}",
    )


def sent(about: str, values: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Reason | None:
    """What was sent, or None for what is no modal of ours."""
    if (match := _ABOUT.fullmatch(about)) is None:
        return None
    chosen = (values.get(_FAULT, {}).get(_FAULT, {}).get("selected_option") or {}).get("value")
    written = values.get(_COMMENT, {}).get(_COMMENT, {}).get("value")
    fault = Fault(chosen) if chosen in {one.value for one in Fault} else None
    comment = written.strip()[:COMMENT_LENGTH] if isinstance(written, str) else ""
    return Reason(match[1], match[2], fault, comment)


def _input(name: str, label: str, element: Block) -> Block:
    return {
        "type": "input",
        "block_id": name,
        "optional": True,
        "label": plain_text(label),
        "element": {"action_id": name, **element},
    }
