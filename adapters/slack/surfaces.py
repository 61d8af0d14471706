"""What a click on one of our buttons does. Each ends in one thing that whoever clicked sees, or in a new answer.

Buttons carry ids alone; what they show is looked up and authorised again for whoever clicks, where they click.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.risk import at_risk
from adapters.slack import blocks
from adapters.slack.again import ASK_ACTION, RETRY_ACTION, id_again, question_ts, to_ask
from adapters.slack.clicks import NoWindow
from adapters.slack.events import attachments, readable
from adapters.slack.feedback import FEEDBACK_ACTION, clicked
from adapters.slack.history import message_at
from adapters.slack.passage_view import passage_view, said, sources_view, waiting
from adapters.slack.reasons import reason_view
from adapters.slack.standing import answers_key
from adapters.sources import heading
from bot.errors import CitewellError
from bot.lookup_outcome import Given
from bot.messages import IncomingMessage
from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from datetime import datetime

    from adapters.slack.clicks import Click
    from adapters.slack.edits import Questions
    from adapters.slack.passage_view import View
    from adapters.slack.reasons import Reason
    from adapters.sources import Sources
    from bot.messages import Source
    from bot.turn import Memories
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
_FAULTS = (CitewellError, RetrievalError, MemoryUnavailable)


class Surfaces:
    """Sources, passages, marks and second askings, for whoever clicks."""

    def __init__(
        self,
        sources: Sources,
        memories: Memories,
        questions: Questions,
        words: Wording,
        now: Callable[[], datetime],
        *,
        at_risk: Callable[[str], bool] = at_risk,
    ) -> None:
        self._sources = sources
        self._memories = memories
        self._questions = questions
        self._words = words
        self._now = now
        self._at_risk = at_risk

    async def clicked(self, click: Click, action_id: str, value: str) -> None:
        """Do what a button is for. What fails on the way is said to whoever clicked, and raised on for the log."""
        action, _, number = action_id.partition(":")
        try:
            match action:
                case blocks.SOURCES_ACTION:
                    await self._show_sources(click, value)
                case blocks.MORE_ACTION:
                    await self._show_rows(click, value)
                case blocks.PASSAGE_ACTION | blocks.PLACE_ACTION:
                    await self._show_in_place(click, value, int(number))
                case _ if action == FEEDBACK_ACTION:
                    await self._mark(click, value)
                case _ if action == RETRY_ACTION:
                    await self._retry(click)
                case _ if action == ASK_ACTION and (question := to_ask(value)) is not None:
                    await self._ask(replace_thread(click, question[1]), question[0])
                case _:
                    return
        except _FAULTS:
            await click.whisper(blocks.note(self._words.again.failed))
            raise

    async def sources_of(self, click: Click, *, trace_id: str | None, key: str) -> None:
        """Show, in a modal, what stands behind the answer that a message is, or got, or that its thread got last."""

        async def build() -> View:
            found = None
            if trace_id is not None:
                found = await self._sources.of_answer(trace_id, click.conversation, click.author)
            if found is None:
                found = await self._sources.of_message(key, click.conversation, click.author)
            if not found:
                return said(self._words.sources.all, self._heading(found), self._words)
            place = click.conversation.channel
            return sources_view(found, self._words, heading=self._heading(found), place=place)

        try:
            await self._window(click, build(), self._words.sources.all)
        except _FAULTS:
            await click.whisper(blocks.note(self._words.again.failed))
            raise

    async def give_reason(self, click: Click, reason: Reason) -> View:
        """Note why an answer was marked down, and say so in the modal's place.

        Words of someone at risk are no comment: they go where such words always go, and are not kept.
        """
        words = self._words.feedback
        try:
            if reason.comment and self._at_risk(reason.comment):
                id_ = f"{reason.trace_id}-{int(self._now().timestamp() * 1000)}"
                await self._questions.accept(
                    IncomingMessage(id_, click.conversation, click.author, reason.comment, self._now())
                )
                reason = replace(reason, comment="")
            noted = await self._rate(click, reason.trace_id, good=False, reason=reason)
        except _FAULTS as error:
            _LOG.error("a reason could not be noted: %s", error)
            return said(words.why, self._words.again.failed, self._words)
        return said(words.why, words.thanks if noted else words.gone, self._words)

    async def _show_sources(self, click: Click, trace_id: str) -> None:
        found = await self._sources.of_answer(trace_id, click.conversation, click.author)
        title = self._heading(found)
        await click.whisper(blocks.passages(found, self._words, heading=title) if found else blocks.note(title))

    async def _show_rows(self, click: Click, id_: str) -> None:
        found = await self._sources.rows(id_, click.conversation, click.author)
        if isinstance(found, Given):
            await click.whisper(blocks.passages(found.sources, self._words, heading=found.heading, more=found.more))
        else:
            await click.whisper(blocks.note(found.text if found else self._words.lookups.rest_gone))

    def _heading(self, found: tuple[Source, ...] | None) -> str:
        return self._words.sources.none_here if found is None else heading(found, self._words)

    async def _show_in_place(self, click: Click, passage_id: str, number: int) -> None:
        today = self._now().date()

        async def build() -> View:
            found = await self._sources.in_place(passage_id, click.conversation, click.author)
            return passage_view(found, self._words, today=today)

        try:
            await click.show(self._safely(build(), self._words.passage.title), self._waiting())
        except NoWindow as error:
            _LOG.warning("a passage is shown without a window: %s", error)
            hit = await self._sources.passage(passage_id, click.conversation, click.author)
            if hit is None:
                await click.whisper(blocks.note(self._words.sources.gone))
                return
            mark = self._words.review_due(hit.document.review_missed(today))
            await click.whisper(blocks.passage(hit, number, mark, self._words.passage.alone))

    async def _window(self, click: Click, building: Coroutine[Any, Any, View], title: str) -> None:
        """Open a modal, or say that there is none."""
        try:
            await click.show(self._safely(building, title), self._waiting(title))
        except NoWindow as error:
            _LOG.warning("a window could not be opened: %s", error)
            await click.whisper(blocks.note(self._words.passage.not_opened))

    async def _safely(self, building: Coroutine[Any, Any, View], title: str) -> View:
        """What is built, or a line that says that it could not be: the modal may stand already."""
        try:
            return await building
        except _FAULTS as error:
            _LOG.error("what a window was to show cannot be looked up: %s", error)
            return said(title, self._words.again.failed, self._words)

    def _waiting(self, title: str | None = None) -> View:
        return waiting(title or self._words.passage.title, self._words)

    async def _mark(self, click: Click, value: str) -> None:
        """Note it, and ask for a reason where one can be kept; a guest's marks are in RAM, and go with it."""
        if (thumb := clicked(value)) is None:
            return
        trace_id, good = thumb
        noted = await self._rate(click, trace_id, good=good)
        words = self._words.feedback
        if noted and not good and not click.author.guest:
            view = reason_view(trace_id, click.conversation.channel, self._words)
            try:
                await click.show(_at_once(view), view)
            except NoWindow as error:
                _LOG.warning("no reason can be asked for: %s", error)
            else:
                return
        await click.whisper(blocks.note(words.thanks if noted else words.gone))

    async def _rate(self, click: Click, trace_id: str, *, good: bool, reason: Reason | None = None) -> bool:
        return await self._memories.of(guest=click.author.guest).rate(
            trace_id,
            place=click.conversation.place,
            author=click.author.id,
            good=good,
            fault=reason.fault if reason else None,
            comment=reason.comment if reason else "",
        )

    async def _retry(self, click: Click) -> None:
        """Ask again what the clicked message is an error to."""
        failed = await click.waits.through(lambda: message_at(click.here, click.conversation, click.message_ts))
        key = None if failed is None else answers_key(failed, click.here.me)
        place = f"{click.conversation.place}:"
        if key is None or not key.startswith(place):
            await click.whisper(blocks.note(self._words.again.gone))
            return
        await self._ask(click, question_ts(key.removeprefix(place)))

    async def _ask(self, click: Click, ts: str) -> None:
        """Ask the question at `ts` again as it reads now, once for each message whose button is clicked."""
        question = await click.waits.through(lambda: message_at(click.here, click.conversation, ts))
        text = readable(str((question or {}).get("text") or ""), click.here.me)
        files = attachments(question or {})
        if question is None or question.get("subtype") == "tombstone" or not (text or files):
            await click.whisper(blocks.note(self._words.again.gone))
        elif question.get("bot_id") or question.get("user") != click.author.id:
            await click.whisper(blocks.note(self._words.again.not_yours))
        else:
            id_ = id_again(ts, click.message_ts)
            await self._questions.accept(
                IncomingMessage(id_, click.conversation, click.author, text, self._now(), files)
            )


def trace_of(shown: Sequence[Mapping[str, Any]]) -> str | None:
    """The trace of the answer that a message is, from the button under it; None for any other message."""
    for block in shown:
        for element in block.get("elements") or ():
            if isinstance(element, dict) and element.get("action_id") == f"{blocks.SOURCES_ACTION}:0":
                return str(element.get("value"))
    return None


def replace_thread(click: Click, thread: str) -> Click:
    """The same click, in another thread of its channel."""
    return replace(click, conversation=replace(click.conversation, thread=thread))


async def _at_once(view: View) -> View:
    return view
