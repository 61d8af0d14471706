"""The verdict on a message, made graver where its conversation or a second look asks for it; lowered by nothing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.aftercare import LOOKED_AT, with_care
from bot.courtesy import courtesy
from bot.safety import SelfHarm, Violence, graver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.messages import IncomingMessage
    from bot.safety import SafetyVerdict, SecondLook
    from bot.trace import Trace
    from bot.turn import Memories
    from memory.turn import Turn

logger = logging.getLogger(__name__)

BROKEN = "gate.failed"
"""The rule of the safe branch."""


async def in_context(
    verdict: SafetyVerdict,
    message: IncomingMessage,
    trace: Trace,
    *,
    memories: Memories,
    now: datetime,
    assess: Callable[[str], SafetyVerdict],
) -> SafetyVerdict:
    """The verdict in the light of what its conversation holds; where that cannot be read, as it is. It never raises."""
    if isinstance(verdict, SelfHarm):
        return verdict
    turns = await _lately(memories, message)
    with trace.stage("aftercare") as span:
        try:
            careful = with_care(verdict, message.text, message.author, turns, now=now, assess=assess)
        except Exception as error:  # noqa: BLE001 - as in the gate: a person at risk may have written
            logger.error("aftercare broke: %s", type(error).__name__)  # noqa: TRY400 - a traceback may quote
            careful = SelfHarm(BROKEN)
        span.set(verdict=type(careful).__name__, rule=careful.rule)
    return careful


async def looked_at(
    verdict: SafetyVerdict, message: IncomingMessage, trace: Trace, *looks: SecondLook | None
) -> SafetyVerdict:
    """The verdict, or a graver one where one of `looks` sees more; the failure of one changes nothing."""
    if not message.text.strip() or courtesy(message.text):
        return verdict
    for look in looks:
        if look is not None and not isinstance(verdict, SelfHarm | Violence):
            verdict = graver(verdict, await _seen(verdict, message, trace, look))
    return verdict


async def _seen(verdict: SafetyVerdict, message: IncomingMessage, trace: Trace, look: SecondLook) -> SafetyVerdict:
    with trace.stage("second look", beside=True) as span:
        span.set(backend=look.name)
        try:
            seen = await look.look(message.text)
        except Exception as error:  # noqa: BLE001 - the verdict stands without it
            logger.warning("turn %s: no second look: %s", trace.id, type(error).__name__)
            span.set(failed=type(error).__name__)
            return verdict
        span.set(verdict=type(seen).__name__, rule=seen.rule)
    return seen


async def _lately(memories: Memories, message: IncomingMessage) -> Sequence[Turn]:
    """The conversation's last turns; those in RAM too, where a crisis stands that could not be written down."""
    found: list[Turn] = []
    for memory in dict.fromkeys((memories.of(guest=message.author.guest), memories.guests)):
        try:
            found += await memory.turns(message.conversation, limit=LOOKED_AT)
        except Exception as error:  # noqa: BLE001 - memory failing degrades memory only
            logger.warning("memory could not be read: %s", type(error).__name__)
    return sorted(found, key=lambda turn: turn.at)
