"""The model of a transcript: the double of Claude, given its script turn by turn."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from bot.claude import ClaudeAnswerer
from bot.prompts import prompt
from tests.doubles.claude import KEY, ClaudeDouble, Fails, Hangs, Refuses, Says, Scripted, Writes, connected
from tests.doubles.claude_checks import text_of
from tests.golden import transcript as script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from aiohttp import web

IMPATIENT = 1.5
"""Seconds that a transcript with a model that times out waits for it."""
_PASSAGE = re.compile(r'<passage id="(p\d+)">.*?<text>(.*?)</text>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Drafts(Says):
    """An answer whose passages are named once they are known: each sentence gets the one that holds its quote."""

    sentences: Sequence[script.Sentence] = ()

    def draft(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What the model says to this request."""
        passages = _PASSAGE.findall(body["messages"][-1]["content"])
        return {"kind": "fact", "missing": "", "sentences": [_draft(one, passages) for one in self.sentences]}


class Actor(ClaudeDouble):
    """The double of Claude, which can also read the passages that it is given."""

    async def _reply(self, reply: Scripted, body: dict[str, Any], request: web.Request) -> web.StreamResponse:
        said = Says(reply.draft(body)) if isinstance(reply, Drafts) else reply
        return await super()._reply(said, body, request)


class Model:
    """Plays the steps of one turn at a time, and remembers what it was sent."""

    def __init__(self, double: ClaudeDouble) -> None:
        self._double = double

    @property
    def settings(self) -> Mapping[str, object]:
        """What makes the application ask it, by the settings' names in the environment."""
        return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self._double.url}

    @property
    def requests(self) -> int:
        """How often it was asked so far."""
        return len(self._double.requests)

    @asynccontextmanager
    async def impatiently(self) -> AsyncIterator[ClaudeAnswerer]:
        """An answerer that gives it little time."""
        async with connected(self._double, timeout=IMPATIENT) as claude:
            yield ClaudeAnswerer(claude, await asyncio.to_thread(prompt, "answer"))

    def prepare(self, steps: Sequence[script.Step]) -> None:
        """Give it the script of the next turn."""
        self._double.replies[:] = [reply for step in steps for reply in _replies(step)]

    def assert_played(self) -> None:
        """It was asked for every step of its script, and for nothing else."""
        assert self._double.refused == []
        assert self._double.replies == []

    def sent(self, since: int = 0) -> str:
        """All that it was sent in its requests from there on."""
        return json.dumps(self._double.requests[since:], ensure_ascii=False)

    def replayed(self) -> Iterator[str]:
        """Every text that it was given as its own earlier words."""
        for request in self._double.requests:
            yield from (text_of(one["content"]) for one in request["messages"] if one["role"] == "assistant")


@asynccontextmanager
async def claude() -> AsyncIterator[Model]:
    """The model, listening."""
    double = Actor([])
    async with double:
        yield Model(double)


def _replies(step: script.Step) -> Sequence[Scripted]:
    """What the double sends for a step. What may pass by itself is asked for twice before it counts."""
    match step:
        case script.Answers(answers=sentences):
            return [Drafts({}, sentences=sentences)]
        case script.Lacks(lacks=missing):
            return [Says({"kind": "ungrounded", "sentences": [], "missing": missing})]
        case script.Rewrites(rewrites=question):
            return [Says({"question": question})]
        case script.Supposes(supposes=passage):
            return [Says({"passage": passage})]
        case script.Proposes(proposes=name, given=given):
            arguments = [{"name": argument, "value": value} for argument, value in given.items()]
            return [Says({"lookup": name, "arguments": arguments})]
        case script.Writes(writes=text):
            return [Writes(text)] * 2
        case "refuses":
            return [Refuses("bio")]
        case "is overloaded":
            return [Fails(529)] * 2
        case "times out":
            return [Hangs()]
        case _:
            assert_never(step)


def _draft(sentence: script.Sentence, passages: Sequence[tuple[str, str]]) -> dict[str, str]:
    holding = [name for name, text in passages if sentence.quotes in " ".join(text.split())]
    return {
        "text": sentence.says,
        "passage_id": sentence.passage or next(iter(holding), "p1"),
        "quote": sentence.quotes,
    }
