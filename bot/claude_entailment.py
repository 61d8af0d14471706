"""A second opinion from Claude: a small model reads each sentence beside its quote, all sentences at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.claude_message import StructuredReply
from bot.entailment import Opinion  # noqa: TC001 - pydantic reads it
from bot.errors import Transient
from bot.fence import fence

if TYPE_CHECKING:
    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from bot.verify import Statement

AT_ONCE = 12
"""Requests under way, of all conversations together; more of them wait."""


class _Verdict(StructuredReply):
    follows: Opinion


class ClaudeEntailment:
    """Asks once a sentence. It has `patience` seconds for each, the wait for its turn among others included."""

    def __init__(self, claude: Claude, prompt: Prompt, *, patience: float = 5.0) -> None:
        self._claude = claude
        self._prompt = prompt
        self._patience = patience
        self._room = asyncio.Semaphore(AT_ONCE)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def follows(self, statement: Statement, question: str) -> Opinion:
        """The model's opinion. Raises `CitewellError`, `Transient` where it takes too long among them."""
        texts = {
            "question": question,
            "about": statement.hit.passage.about,
            "quote": statement.quote,
            "sentence": statement.text,
        }
        try:
            async with asyncio.timeout(self._patience), self._room:
                verdict = await self._claude.ask(
                    _Verdict,
                    system=self._prompt.text,
                    content="\n".join(fence(tag, text) for tag, text in texts.items()),
                    insist=False,
                )
        except TimeoutError:
            msg = f"no opinion within {self._patience:g} s"
            raise Transient(msg) from None
        return verdict.follows
