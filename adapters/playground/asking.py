"""One question from the page: answered as everywhere, with any stage switched off, and its trace beside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from adapters.app import utc_now
from adapters.playground import PLATFORM
from bot.messages import Author, IncomingMessage
from bot.switches import STAGES
from bot.turn import Memories
from memory.conversation import Conversation
from memory.ram import RamMemory

if TYPE_CHECKING:
    from adapters.app import Application
    from bot.turn_record import TurnRecord

TENANT = "local"
_PERSON = "visitor"


class Question(BaseModel):
    """What the page sends. With `compare` it is asked beside the conversation, and nothing of it is remembered."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40_000)]
    conversation: str = Field(pattern=r"^[0-9a-f-]{8,40}$")
    off: list[str] = Field(default_factory=list, max_length=len(STAGES))
    guest: bool = False
    compare: bool = False


async def asked(app: Application, question: Question, id_: str) -> dict[str, Any]:
    """The reply and the trace of one question, as JSON values. ValueError for a stage that there is not.

    Words are in the trace that the page gets, unless a guest or someone who may be in danger wrote; of them nothing is
    kept here.
    """
    if unknown := set(question.off) - set(STAGES):
        msg = f"there is no stage {', '.join(sorted(unknown))}; there are {', '.join(STAGES)}"
        raise ValueError(msg)
    records: list[TurnRecord] = []

    def keep(record: TurnRecord) -> None:
        records.append(record)
        app.traces.keep(record.without_words())

    engine = replace(
        app.engine,
        pipeline=replace(app.engine.pipeline, **dict.fromkeys(question.off, False)),
        keep=keep,
        may_keep_words=lambda: True,
    )
    if question.compare:
        engine = replace(engine, memories=Memories(RamMemory(), RamMemory()))
    author = member(guest=question.guest)
    message = IncomingMessage(id_, conversation(question.conversation), author, question.question, utc_now())
    try:
        async with asyncio.timeout(app.settings.turn_deadline):
            reply = await app.answering(engine)(message)
    except TimeoutError as error:
        reply = engine.failure(message, error)
    record = records[-1].as_json() if records else {"trace_id": reply.trace_id, "stages": [], "milliseconds": 0.0}
    told = (stage.words.get("standalone", "") for one in records[-1:] for stage in one.stages)
    standalone = next(filter(None, told), "")
    confidence = "" if reply.confidence is None else engine.wording.confidence.of(reply.confidence)
    return {"reply": reply.as_json(), "trace": record, "standalone": standalone, "confidence": confidence}


def conversation(name: str) -> Conversation:
    """The page's conversation of this name."""
    return Conversation(PLATFORM, TENANT, "page", name)


def member(*, guest: bool = False) -> Author:
    """Whoever uses the page: all of them are one person, a member unless they ask as a guest."""
    return Author(_PERSON, guest=guest)
