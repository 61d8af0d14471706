"""Claude as the helper of a search: a made-up passage, and a question in other words. No reader ever sees either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, StringConstraints

from bot.errors import CitewellError, Refused, Transient
from bot.fence import fence
from retrieval.errors import ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.claude_api import Claude
    from bot.prompts import Prompt

_LONGEST_PASSAGE = 4000  # characters: the prompt asks for a quarter of it at most
_LONGEST_QUERY = 500


class _Hypothetical(BaseModel):
    model_config = ConfigDict(extra="forbid")

    passage: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_PASSAGE)]


class _Rewriting(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=_LONGEST_QUERY)]


_Shape = TypeVar("_Shape", bound=BaseModel)


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
        written = await _ask(self._claude, _Rewriting, self._prompt, content)
        return written.query if written is not None else None


async def _ask(claude: Claude, shape: type[_Shape], prompt: Prompt, content: str) -> _Shape | None:
    """The reply, None for a refusal; errors as retrieval knows them."""
    try:
        return await claude.ask(shape, system=prompt.text, messages=[{"role": "user", "content": content}])
    except Refused:
        return None
    except Transient as error:
        raise ModelUnavailable(str(error), retry_after=error.retry_after) from None
    except CitewellError as error:
        raise ModelRefused(str(error)) from None
