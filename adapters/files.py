"""Messages that bring files: the files are taken in, or left alone, and what the message says is heard first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.risk import verdict
from bot.messages import Reply
from bot.safety import SelfHarm, Violence
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.intake import Intake
    from bot.messages import IncomingMessage, Respond, Show
    from bot.safety import SafetyVerdict


def answering_files(respond: Respond, intake: Intake, assess: Callable[[str], SafetyVerdict]) -> Respond:
    """`respond`, except that the files of a message are taken in, or are said to have been left alone.

    Words come first: a person in need who sends a picture along is answered as ever.
    """

    async def answer(message: IncomingMessage, show: Show | None = None) -> Reply:
        if not message.files:
            return await respond(message, show)
        refusal = intake.refusal(message)
        if not message.text.strip():
            return Reply(TurnKind.COURTESY, refusal, trace_id="") if refusal else await intake.take_in(message)
        if not refusal and not isinstance(verdict(message.text, assess), SelfHarm | Violence):
            return await intake.take_in(message)
        reply = await respond(message, show)
        if reply.kind is TurnKind.CRISIS or not refusal or not intake.permission.people:
            return reply
        return replace(reply, text=f"{reply.text}\n\n{refusal}")

    return answer
