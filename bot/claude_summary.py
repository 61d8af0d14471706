"""Claude as the writer of summaries: what was said, in few words, for a model that is no longer shown all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import StringConstraints

from bot.claude_message import StructuredReply
from bot.compose import unmarked
from bot.fence import fence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from memory.replay import Exchange

_LONGEST = 6000  # characters: the prompt asks for a fifth of it at most


class _Summary(StructuredReply):
    summary: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST)]


class ClaudeSummaryWriter:
    """Has Claude write it, within `patience` seconds. It is sent questions and grounded answers, and no document."""

    def __init__(self, claude: Claude, prompt: Prompt, *, patience: float = 20.0) -> None:
        self._claude = claude
        self._prompt = prompt
        self._patience = patience

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def summary(self, earlier: str, exchanges: Sequence[Exchange]) -> str:
        """The summary so far with what was said since taken in. Raises CitewellError."""
        said = [
            part
            for exchange in exchanges
            for part in (fence("question", exchange.question), fence("answer", unmarked(exchange.answer)))
        ]
        written = await self._claude.ask(
            _Summary,
            system=self._prompt.text,
            content="\n".join([*([fence("summary", earlier)] if earlier else []), *said]),
            patience=self._patience,
        )
        return written.summary
