"""Claude as the one who proposes a look-up: a name and arguments, never a value, and nothing that is not checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StringConstraints

from bot.claude_message import StructuredReply
from bot.fence import fence
from bot.lookup_proposal import Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.claude_api import Claude
    from bot.lookup import Card
    from bot.prompts import Prompt

_MOST_READ = 2_000
"""Characters of a question that are sent."""

_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]


class _Argument(StructuredReply):
    name: _Text
    value: _Text


class _Proposed(StructuredReply):
    lookup: _Text
    arguments: Annotated[tuple[_Argument, ...], Field(max_length=20)] = ()


class ClaudeProposer:
    """Asks Claude which look-up answers. It is sent what was declared of each, and no row, key or person.

    It takes `patience` seconds at most.
    """

    def __init__(self, claude: Claude, prompt: Prompt, *, patience: float) -> None:
        self._claude = claude
        self._prompt = prompt
        self._patience = patience

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def propose(self, question: str, earlier: str, cards: Sequence[Card]) -> Proposal | None:
        """What it proposes; None where it names no look-up. Raises what `Claude.ask` raises."""
        offered = [fence("lookup", _described(card)) for card in cards]
        before = [fence("earlier", earlier[:_MOST_READ])] if earlier else []
        reply = await self._claude.ask(
            _Proposed,
            system=self._prompt.text,
            content="\n\n".join([*offered, *before, fence("question", question[:_MOST_READ])]),
            patience=self._patience,
            insist=False,
        )
        if not reply.lookup:
            return None
        return Proposal(reply.lookup, tuple((one.name, one.value) for one in reply.arguments))


def _described(card: Card) -> str:
    arguments = ", ".join(f"{name} ({card.columns[name]})" for name in card.keys)
    columns = ", ".join(label for name, label in card.columns.items() if name not in card.keys)
    whose = "\nIt is about the person who asks." if card.personal else ""
    return f"name: {card.name}\nanswers: {card.answers}\narguments: {arguments}\ncolumns: {columns}{whose}"
