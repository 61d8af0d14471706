"""One turn's check: of the sentences as they are written, so that they may be shown as they pass, and of the whole.

What is shown early is a beginning of the answer's text, and is seldom taken back: no sentence is shown before its own
check, before those that stand before it, or before the answer would stand even if the next sentence fell. An answer
that was shown so far can still fall as a whole, be begun anew, or be refused; the reply's text then does not begin with
what was shown. To wait until that cannot happen is to show nothing early: the next ten sentences may always fall.
"""

from __future__ import annotations

import asyncio
import logging
from itertools import takewhile
from typing import TYPE_CHECKING

from bot.answer import Answer, Fact, Sentence
from bot.compose import beginning
from bot.errors import CitewellError
from bot.trace import Span, count, counted_in
from bot.verify import Reason, Statement, Verified, check, judge, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.entailment import Entailment, Opinion
    from bot.messages import Show
    from bot.trace import Trace
    from retrieval.evidence import Evidence

logger = logging.getLogger(__name__)

STAGE = "check_entailment"


class Check:
    """Used as `async with`: what is still being asked is let go of at its end.

    With an `entailment`, sentences that have passed every rule are asked about, all at once, and "no" makes them fall;
    an opinion that does not come costs nothing. A sentence that is its quote, word for word, needs none. With a `show`,
    what `hear` is told is shown as it passes.
    """

    def __init__(
        self, evidence: Evidence, trace: Trace, *, entailment: Entailment | None = None, show: Show | None = None
    ) -> None:
        self._evidence = evidence
        self._trace = trace
        self._entailment = entailment
        self._show = show
        self._shown = ""
        self._heard: tuple[Sentence, ...] = ()
        self._tasks: dict[Sentence, asyncio.Task[None]] = {}
        self._settled: dict[Sentence, Statement | Reason] = {}
        self._span = Span(STAGE)
        self._began = 0.0

    async def __aenter__(self) -> Check:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._heard = ()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def hear(self, sentences: Sequence[Sentence]) -> None:
        """All sentences of the draft so far, each whole. Where they are not those of before and more, it began anew."""
        if self._heard == tuple(sentences):
            return
        self._heard = tuple(sentences)
        for sentence in self._heard:
            if sentence not in self._tasks:
                self._tasks[sentence] = asyncio.create_task(self._settle(sentence))
        self._advance()

    async def whole(self, draft: Answer) -> Verified:
        """What `verify` makes of the draft, without the sentences that do not follow from their quotes."""
        verified = await asyncio.to_thread(verify, draft, self._evidence)  # long enough to hold everyone else up
        if self._entailment is None or not isinstance(draft, Fact) or not verified.statements:
            return verified
        self.hear(draft.sentences)
        await asyncio.gather(*(self._tasks[sentence] for sentence in draft.sentences))
        return judge([self._settled[sentence] for sentence in draft.sentences], self._evidence)

    async def _settle(self, sentence: Sentence) -> None:
        checked = check(sentence, self._evidence)
        if self._entailment is not None and isinstance(checked, Statement) and not _is_its_quote(checked):
            opinion = await self._opinion(self._entailment, checked)
            checked = "not_entailed" if opinion == "no" else checked
        self._settled[sentence] = checked
        self._advance()

    async def _opinion(self, entailment: Entailment, statement: Statement) -> Opinion | None:
        if self._span not in self._trace.spans:
            self._trace.spans.append(self._span)
            self._span.set(backend=entailment.name)
            self._began = self._trace.clock()
        with counted_in(self._span):
            count(entailment.name, asked=1)
            try:
                opinion: Opinion | None = await entailment.follows(statement, self._evidence.query.standalone)
            except CitewellError as error:
                logger.warning("a sentence went without a second opinion: %s", error)
                self._span.set(degraded=type(error).__name__)
                opinion = None
            count(entailment.name, **{opinion or "unanswered": 1})
        self._span.milliseconds = (self._trace.clock() - self._began) * 1000
        return opinion

    def _advance(self) -> None:
        """Show what has come to stand, if it goes on from what is shown."""
        settled = [self._settled[one] for one in takewhile(self._settled.__contains__, self._heard)]
        text = beginning(judge([*settled, "empty"], self._evidence).statements)
        if self._show is None or len(text) <= len(self._shown) or not text.startswith(self._shown):
            return
        self._shown = text
        try:
            self._show(text)
        except Exception as error:  # noqa: BLE001 - who cannot show an answer early still gets it
            logger.warning("an answer could not be shown early: %s", type(error).__name__)
            self._show = None


def _is_its_quote(statement: Statement) -> bool:
    return statement.text.removeprefix("- ").split() == statement.quote.split()
