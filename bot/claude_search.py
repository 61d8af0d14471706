"""Claude as the helper of a search: a made-up passage, and a question in other words. No reader ever sees either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import StringConstraints

from bot.claude_message import StructuredReply
from bot.errors import CitewellError, Refused, for_retrieval
from bot.fence import fence
from bot.trace import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.claude_api import Claude
    from bot.prompts import Prompt

_LONGEST_PASSAGE = 4000  # characters: the prompt asks for a quarter of it at most
_LONGEST_QUERY = 500


class _Hypothetical(StructuredReply):
    passage: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_PASSAGE)]


class _Rewriting(StructuredReply):
    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_QUERY)]


_Shape = TypeVar("_Shape", bound=StructuredReply)


class ClaudeHypotheticalWriter:
    """Has Claude make a passage up (HyDE). It is sent the question and no document."""

    def __init__(self, claude: Claude, prompt: Prompt) -> None:
        self._claude = claude
        self._prompt = prompt

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def passage(self, question: str) -> str | None:
        """About a hundred words, None where Claude refuses. ModelUnavailable or ModelRefused if there is no reply."""
        with part("hyde"):
            written = await _ask(self._claude, _Hypothetical, self._prompt, fence("question", question))
        return written.passage if written is not None else None


class ClaudeQueryRewriter:
    """Has Claude put a question into the words of documents. It is sent titles beside the question, and no passage."""

    def __init__(self, claude: Claude, prompt: Prompt) -> None:
        self._claude = claude
        self._prompt = prompt

    @property
    def name(self) -> str:
        """The model's name."""
        return self._claude.model

    async def rewrite(self, question: str, titles: Sequence[str]) -> str | None:
        """What to search for, None where Claude refuses. ModelUnavailable or ModelRefused if there is no reply."""
        content = "\n".join([*(fence("title", title) for title in titles), fence("question", question)])
        with part("rewrite"):
            written = await _ask(self._claude, _Rewriting, self._prompt, content)
        return written.query if written is not None else None


async def _ask(claude: Claude, shape: type[_Shape], prompt: Prompt, content: str) -> _Shape | None:
    """The reply, None for a refusal; errors as retrieval knows them."""
    try:
        return await claude.ask(shape, system=prompt.text, content=content)
    except Refused:
        return None
    except CitewellError as error:
        raise for_retrieval(error) from None
