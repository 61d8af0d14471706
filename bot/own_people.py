"""Whom an organisation has itself for people in need: its file, read and checked."""

from __future__ import annotations

import logging
import tomllib
from datetime import date  # noqa: TC003 - pydantic reads it when the models are built
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.crisis_file import HttpsUrl, Phone, Words  # noqa: TC001 - pydantic reads these too
from bot.errors import Misconfigured
from bot.messages import Resource

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)

SETTING = "CITEWELL_OWN_PEOPLE"


class Person(BaseModel):
    """One entry, a person or a service: "Occupational health". After `review_by` it counts as out of date."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: Words
    phone: Phone | None = None
    text: Words | None = None
    url: HttpsUrl | None = None
    hours: Words | None = None
    review_by: date

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if not (self.phone or self.text or self.url):
            raise ValueError("give a phone, a text or a url")
        return self


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    people: Annotated[tuple[Person, ...], Field(min_length=1, max_length=3)]


def own_people(file: Path, *, today: date) -> tuple[Resource, ...]:
    """The people of a file, in its order. Blocking. `Misconfigured` says what in it is to be mended.

    Whoever is past their review date is still shown, and named in the log: a number that is late is better than none.
    """
    try:
        people = _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))).people
    except ValidationError as error:
        faults = [f"  {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False)]
        raise Misconfigured("\n".join([f"{SETTING}: {file} needs mending:", *faults])) from None
    except (OSError, ValueError) as error:
        msg = f"{SETTING}: {file} cannot be read as TOML ({error}); docs/safety.md shows one"
        raise Misconfigured(msg) from error
    for person in overdue(people, today):
        logger.warning("%s: %s is past its review date %s: check it", file, person.name, person.review_by)
    return tuple(
        Resource(name=one.name, phone=one.phone, text=one.text, url=one.url, hours=one.hours) for one in people
    )


def overdue(people: tuple[Person, ...], today: date) -> tuple[Person, ...]:
    """Those whose review date has passed."""
    return tuple(person for person in people if person.review_by < today)
