"""Claude as the writer of the sentences that place passages in their documents, and what that is going to cost."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Annotated

from pydantic import StringConstraints

from bot.claude_message import StructuredReply, Usage
from bot.claude_models import CACHED_FROM, claude_model
from bot.errors import CitewellError, Malformed, Refused, for_retrieval
from bot.fence import fence
from memory.replay import CHARACTERS_PER_TOKEN

if TYPE_CHECKING:
    from anthropic.types import TextBlockParam

    from bot.claude_api import Claude
    from bot.prompts import Prompt
    from retrieval.contexts import Stretch
    from retrieval.retry import Retry

_log = logging.getLogger(__name__)

_REPLY = 60  # tokens: 25 words and the JSON around them
_WRAPPING = 20  # tokens: what stands around a passage


class _Context(StructuredReply):
    sentence: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]


class ClaudeContextWriter:
    """Has Claude place a passage in its document. Both go in as data between tags; nothing but a sentence comes out.

    The document stands first and is marked for the server's cache where it is sent more than once: a request that
    follows within five minutes of the last then costs a tenth of it or less. A busy server is tried again by `retry`
    alone.
    """

    def __init__(self, claude: Claude, prompt: Prompt, retry: Retry) -> None:
        self._claude = claude
        self._prompt = prompt
        self._retry = retry

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def sentence(self, document: str, passage: str, *, more: bool) -> str | None:
        """What the model wrote, unchecked; None where it refused or did not keep to the form."""
        shown: TextBlockParam = {"type": "text", "text": fence("document", document)}
        if more:
            shown["cache_control"] = {"type": "ephemeral"}
        asked: TextBlockParam = {"type": "text", "text": fence("passage", passage)}
        return await self._retry(lambda: self._ask([shown, asked]))

    def estimate(self, stretch: Stretch) -> Usage:
        """The tokens that the sentences of a stretch will take, by the lengths of the texts.

        Scripts other than Latin take more, and so does a model that thinks before it writes.
        """
        asked = len(stretch.waiting)
        shown = _tokens(self._prompt.text) + _tokens(stretch.text)
        passages = sum(_tokens(one.text) + _WRAPPING for one in stretch.waiting)
        known = claude_model(self.name)
        cached = asked > 1 and shown >= (known.cached_from if known else CACHED_FROM)
        return Usage(
            self.name,
            input_tokens=passages if cached else passages + shown * asked,
            output_tokens=_REPLY * asked,
            cache_read_tokens=shown * (asked - 1) if cached else 0,
            cache_write_tokens=shown if cached else 0,
        )

    async def _ask(self, blocks: list[TextBlockParam]) -> str | None:
        try:
            written = await self._claude.ask(_Context, system=self._prompt.text, content=blocks, insist=False)
        except (Refused, Malformed) as error:
            _log.warning("a passage stays without a sentence: %s", type(error).__name__)
            return None
        except CitewellError as error:
            raise for_retrieval(error) from None
        return written.sentence


def _tokens(text: str) -> int:
    return round(len(text) / CHARACTERS_PER_TOKEN)
