"""The hits put in order by Claude: a small model reads a few passages a request, many requests at once."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StringConstraints

from bot.claude_message import StructuredReply
from bot.errors import CitewellError, Malformed, for_retrieval
from bot.fence import fence, fenced
from bot.trace import part
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from retrieval.evidence import Hit

TOGETHER = 5
"""Passages a request. One each would pay for the instructions thirty times and spend a small account's requests a
minute on one question; all in one would take as long as thirty scores take to write, and let a passage that gives
orders meddle with all others."""

AT_ONCE = 12
"""Requests under way, of all conversations together; those of two searches. More of them wait."""


class _Judgement(StructuredReply):
    passage_id: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]
    relevance: Annotated[int, Field(ge=0, le=10)]


class _Judgements(StructuredReply):
    judgements: Annotated[list[_Judgement], Field(max_length=TOGETHER)]


class ClaudeReranker:
    """Reads the question beside each passage. Scores are whole numbers from 0 to 10, so there are many equal ones.

    The hits are dealt out so that every request holds good and poor ones and judges by the same measure. One request
    that fails ends the others and the whole with it. Raises ModelUnavailable or ModelRefused.
    """

    def __init__(self, claude: Claude, prompt: Prompt) -> None:
        self._claude = claude
        self._prompt = prompt
        self._room = asyncio.Semaphore(AT_ONCE)

    @property
    def name(self) -> str:
        """The model's name, as traces give it."""
        return self._claude.model

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """One score a hit, of its text under title and headings; a sentence that a model wrote of it is not judged."""
        del scope
        requests = math.ceil(len(hits) / TOGETHER)
        scores = [0.0] * len(hits)
        try:
            with part("rerank"):
                async with asyncio.TaskGroup() as group:
                    asked = [group.create_task(self._judged(question, hits[at::requests])) for at in range(requests)]
        except ExceptionGroup as failed:
            first = failed.exceptions[0]
            raise (for_retrieval(first) if isinstance(first, CitewellError) else first) from None
        for at, task in enumerate(asked):
            scores[at::requests] = task.result()
        return scores

    async def _judged(self, question: str, hits: Sequence[Hit]) -> list[float]:
        passages = {f"p{n}": hit.passage for n, hit in enumerate(hits, start=1)}
        async with self._room:
            reply = await self._claude.ask(
                _Judgements,
                system=self._prompt.text,
                content=f"{fence('question', question)}\n\n{fenced(passages)}",
            )
        given = {one.passage_id: float(one.relevance) for one in reply.judgements}
        if given.keys() != passages.keys() or len(reply.judgements) != len(passages):
            raise Malformed("the model judged other passages than it was given")
        return [given[short] for short in passages]
