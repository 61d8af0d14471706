"""Claude as the writer: drafts from passages, and follow-up questions that stand alone."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from bot.answer import Answer, Fact, Sentence, Ungrounded
from bot.claude_message import StructuredReply
from bot.compose import unmarked
from bot.draft_stream import whole_sentences
from bot.errors import CitewellError
from bot.faithful import faithful
from bot.fence import as_written, fence, fenced, shown
from bot.trace import note
from memory.replay import Exchange
from memory.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anthropic.types import MessageParam

    from bot.answerer import Hear, Rewriter
    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from memory.replay import Said
    from retrieval.document import Passage
    from retrieval.evidence import Evidence

_log = logging.getLogger(__name__)

_LONGEST = 500
_REMEMBERED = 8  # earlier questions: a follow-up seldom reaches back further

_Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]
"""An empty one is in shape: the check drops that sentence, and keeps the others."""


class _DraftSentence(StructuredReply):
    text: _Line
    passage_id: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]
    quote: _Line


class _Draft(StructuredReply):
    """Flat, since a schema whose root is a choice is not taken by every server."""

    kind: Literal["fact", "ungrounded"]
    sentences: Annotated[tuple[_DraftSentence, ...], Field(max_length=40)] = ()
    missing: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST)] | None = None


class _Standalone(StructuredReply):
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST)]


class ClaudeAnswerer:
    """Has Claude write the draft. It sees raw texts, contexts and short ids of the passages: no links, no tools.

    An id that the model made up is kept as it is, for `bot.verify` to find that no such passage was retrieved.
    It has `patience` seconds: whatever answers in its place still has to come before the turn's deadline.
    """

    def __init__(self, claude: Claude, prompt: Prompt, *, patience: float = 20.0) -> None:
        self._claude = claude
        self._prompt = prompt
        self._patience = patience

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        """A draft for a question that stands alone, streamed where `hear` is to be told of it meanwhile.

        Raises `Transient`, `Permanent` or `Refused`.
        """
        note(prompt=self._prompt.version)
        passages = {f"p{n}": hit.passage for n, hit in enumerate(evidence.hits, start=1)}
        draft = await self._claude.ask(
            _Draft,
            system=self._prompt.text,
            content="\n\n".join([fenced(passages), *_summarised(history), fence("question", question)]),
            history=_conversation(history),
            patience=self._patience,
            so_far=None if hear is None else lambda text: hear(_heard(text, passages)),
        )
        if draft.kind == "ungrounded" or not draft.sentences:
            return Ungrounded(draft.missing or "")
        return Fact(tuple(_sentence(written, passages) for written in draft.sentences))


class ClaudeRewriter:
    """Has Claude make a follow-up stand alone, and the `fallback` where it fails or its rewriting is not faithful.

    It has `patience` seconds: the search and the answer are still to come.
    """

    def __init__(self, claude: Claude, prompt: Prompt, *, fallback: Rewriter, patience: float = 10.0) -> None:
        self._claude = claude
        self._prompt = prompt
        self._fallback = fallback
        self._patience = patience

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def standalone(self, question: str, earlier: Sequence[str]) -> str:
        """The question as it would be asked without its conversation. Asks nobody where nothing was asked before."""
        if not earlier:
            return question
        asked = "\n".join(fence("earlier", text) for text in earlier[-_REMEMBERED:])
        try:
            rewritten = await self._claude.ask(
                _Standalone,
                system=self._prompt.text,
                content=f"{asked}\n\n{fence('question', question)}",
                patience=self._patience,
            )
        except CitewellError as error:
            _log.warning("the rewriting fell back on the rules: %s", type(error).__name__)
            return await self._by_rules(question, earlier, type(error).__name__)
        if not faithful(rewritten.question, question, earlier):
            _log.warning("the rewriting fell back on the rules: it changed a figure, a name or another word")
            return await self._by_rules(question, earlier, "unfaithful")
        return rewritten.question

    async def _by_rules(self, question: str, earlier: Sequence[str], why: str) -> str:
        note(backend=self._fallback.name, degraded=why)
        return await self._fallback.standalone(question, earlier)


def _heard(text: str, passages: Mapping[str, Passage]) -> list[Sentence]:
    """The sentences of a draft so far; none where one is out of shape, since the whole will be."""
    try:
        written = [_DraftSentence.model_validate(one) for one in whole_sentences(text)]
    except ValidationError:
        return []
    return [_sentence(one, passages) for one in written]


def _sentence(written: _DraftSentence, passages: Mapping[str, Passage]) -> Sentence:
    """The sentence with the passage's real id, and its quote as the raw text has it, links and all."""
    passage = passages.get(written.passage_id)
    if passage is None:
        return Sentence(written.text, written.passage_id, written.quote)
    return Sentence(written.text, passage.id, as_written(written.quote, passage.text))


def _summarised(history: Sequence[Said]) -> list[str]:
    """What is older than the conversation's messages, as data: it was never said, so it is no message of either."""
    return [fence("summary", said.text) for said in history if isinstance(said, Summary)]


def _conversation(history: Sequence[Said]) -> list[MessageParam]:
    """Questions and answers in turn, without source markers; an exchange with an empty side is left out whole."""
    messages: list[MessageParam] = []
    for exchange in history:
        if not isinstance(exchange, Exchange):
            continue
        question, answer = shown(exchange.question).strip(), shown(unmarked(exchange.answer)).strip()
        if question and answer:
            messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return messages
