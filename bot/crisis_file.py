"""The reviewed file of crisis lines: its shape, and what stands in for it when it cannot be read."""

from __future__ import annotations

import logging
from datetime import date  # noqa: TC003 - pydantic reads it when the models are built
from functools import cache
from importlib import resources
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

logger = logging.getLogger(__name__)

CountryCode = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
Phone = Annotated[str, StringConstraints(pattern=r"^[+*]?[0-9]([0-9 \-]{0,18}[0-9])?( ext [0-9]{1,5})?$")]
HttpsUrl = Annotated[str, StringConstraints(pattern=r"^https://[a-z0-9.-]+\.[a-z]{2,}(/\S*)?$")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\r\n]+$")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Country(_Entry):
    """One country: its emergency number as people say it, and the IANA time zones that lie in it."""

    code: CountryCode
    name: Words
    emergency: Annotated[Words, StringConstraints(pattern=r"^[0-9]")]
    timezones: tuple[str, ...] = ()


class Line(_Entry):
    """One line, as dialled in its country. `text` is a whole sentence ("Text HOME to 741741").

    `sources` are the ids of the lists it was compiled from; `checked_with_provider` says whether a person has checked
    it on the provider's own site; after `review_by` it counts as out of date.
    """

    country: CountryCode
    name: Words
    kind: Literal["suicide_crisis", "general_crisis", "mental_health"]
    phone: Phone | None
    text: Words | None
    chat: HttpsUrl | None
    website: HttpsUrl | None
    hours: Words | None
    languages: tuple[Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")], ...]
    sources: tuple[str, ...] = Field(min_length=1)
    sources_disagree: bool
    confidence: Literal["high", "medium", "low"]
    checked_with_provider: bool
    reviewed: date
    review_by: date

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if not (self.phone or self.text or self.chat):
            raise ValueError(f"{self.name}: a line needs a phone, a text number or a chat")
        if self.review_by <= self.reviewed:
            raise ValueError(f"{self.name}: review_by must come after reviewed")
        return self


class Directory(_Entry):
    """A site that finds lines in any country."""

    name: Words
    url: HttpsUrl


class CrisisFile(_Entry):
    """The whole file. Unknown keys, a country twice, or a line without its country are errors."""

    note: str = ""
    countries: tuple[Country, ...]
    lines: tuple[Line, ...]
    directories: tuple[Directory, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        codes = [country.code for country in self.countries]
        if len(set(codes)) != len(codes):
            raise ValueError("a country stands in the file twice")
        if missing := {line.country for line in self.lines} - set(codes):
            raise ValueError(f"lines of countries that the file does not list: {', '.join(sorted(missing))}")
        return self

    def overdue(self, today: date) -> tuple[Line, ...]:
        """The lines whose review date has passed."""
        return tuple(line for line in self.lines if line.review_by < today)


def last_resort() -> CrisisFile:
    """What is known with every file gone: the directories."""
    directories = (
        Directory(name="Find A Helpline", url="https://findahelpline.com"),
        Directory(name="Befrienders Worldwide", url="https://www.befrienders.org"),
    )
    return CrisisFile(countries=(), lines=(), directories=directories)


def parse(text: str) -> CrisisFile:
    """A file's content; where it cannot be read, the last resort, and a line in the log that says so."""
    try:
        return CrisisFile.model_validate_json(text)
    except ValueError as error:
        logger.error("the file of crisis lines is broken, people get directories only: %s", error)  # noqa: TRY400
        return last_resort()


@cache
def bundled() -> CrisisFile:
    """The file that ships with the package, or the last resort."""
    try:
        text = resources.files("bot").joinpath("data", "crisis_lines.json").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        logger.error("the file of crisis lines cannot be opened, people get directories only: %s", error)  # noqa: TRY400
        return last_resort()
    return parse(text)
