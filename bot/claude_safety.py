"""Claude as a second look at a message, for a person at risk whom the rules did not see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, assert_never

from bot.claude_message import StructuredReply
from bot.fence import fence
from bot.safety import Clear, Mention, SelfHarm

if TYPE_CHECKING:
    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from bot.safety import SafetyVerdict

_MOST_READ = 8_000
"""Characters of a message that are sent."""


class _Look(StructuredReply):
    about: Literal["writer", "other", "subject", "neither"]


class ClaudeSecondLook:
    """Asks Claude of one message alone. It is sent no name, and nothing of the conversation.

    A look takes `patience` seconds at most, and is not asked for twice where the server is busy.
    """

    def __init__(self, claude: Claude, prompt: Prompt, *, patience: float) -> None:
        self._claude = claude
        self._prompt = prompt
        self._patience = patience

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def look(self, text: str) -> SafetyVerdict:
        """What the model makes of it. Raises what `Claude.ask` raises."""
        content = fence("message", text[:_MOST_READ])
        seen = await self._claude.ask(
            _Look, system=self._prompt.text, content=content, patience=self._patience, insist=False
        )
        match seen.about:
            case "writer":
                return SelfHarm("self.model")
            case "other":
                return SelfHarm("other.model")
            case "subject":
                return Mention("mention.model")
            case "neither":
                return Clear()
            case _ as never:
                assert_never(never)
