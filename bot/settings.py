"""What one turn may be told to do differently, and how long it waits for models."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.document import PUBLIC


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """The settings of a turn; `adapters.settings` fills them from the environment.

    `country` is where the organisation is (ISO 3166), used for crisis lines when nothing is known of the person.
    `public_collections` are all that guests are shown; members are shown every collection. `passages` go to the
    answerer, `replay_tokens` bound the earlier exchanges it sees, `question_limit` counts characters.
    """

    country: str | None = None
    public_collections: frozenset[str] = frozenset({PUBLIC})
    passages: int = 8
    replay_tokens: int = 1500
    question_limit: int = 8000

    def visible(self, *, guest: bool) -> frozenset[str] | None:
        """The collections that an author may see; None means all."""
        return self.public_collections if guest else None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a turn waits for models, in seconds, by its `deadline`.

    Should every one of them be slow and none of them fail, a sixth of the deadline is left in which an extract answers:
    a follow-up has a sixth, the four stages of a search a twelfth each, the answer a third.
    """

    deadline: float = 60.0

    @property
    def followup(self) -> float:
        """For a question to be made to stand alone; never over 10."""
        return min(10.0, self.deadline / 6)

    @property
    def stage(self) -> float:
        """For each stage of a search that it can do without; never over 5."""
        return min(5.0, self.deadline / 12)

    @property
    def answer(self) -> float:
        """For the draft of an answer."""
        return self.deadline / 3
