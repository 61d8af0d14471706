"""What a golden transcript needs of a platform, so that each can be held to the same words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from adapters.app import Application
    from memory.conversation import Conversation


Writer: TypeAlias = Literal["member", "colleague", "guest"]
"""Who writes: one of the house, another of the house, or an outside person."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One reply as a person sees it.

    `answer` are its words, in Markdown or the platform's form of it; `beside` the lines that stand outside them;
    `sources` the labels and `links` the targets of whatever can be opened, in their order; `everything` all that can be
    read. `private` means that its author alone sees it.
    """

    answer: str
    beside: str
    sources: tuple[str, ...]
    links: tuple[str, ...]
    everything: str
    private: bool


class Platform(Protocol):
    """A place where a member, a colleague and a guest can write."""

    @property
    def settings(self) -> Mapping[str, object]:
        """What the application has to be told of this platform, by the settings' names in the environment."""
        ...

    def serving(self, app: Application) -> AbstractAsyncContextManager[None]:
        """The application answers here for as long as this is open."""
        ...

    async def say(self, text: str, *, by: Writer, thread: str, delivered: int) -> Sequence[Shown]:
        """Write, deliver every event of it so many times, and return all that came back once nothing waits."""
        ...

    def conversation(self, thread: str) -> Conversation:
        """Where that thread's turns are remembered."""
        ...
