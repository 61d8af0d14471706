"""What one turn may be told to do differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.messages import Resource


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """The settings of a turn; `adapters.settings` fills them from the environment.

    `country` is where the organisation is (ISO 3166), used for crisis lines when nothing is known of the person.
    `people` are the organisation's own who help, and come before all lines.
    `passages` go to the answerer, `replay_tokens` bound the earlier exchanges it sees, `question_limit` counts
    characters.
    """

    country: str | None = None
    people: tuple[Resource, ...] = ()
    passages: int = 8
    replay_tokens: int = 1500
    question_limit: int = 8000
