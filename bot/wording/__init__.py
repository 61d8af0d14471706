"""Every text that people read, from one file a language (`en.toml` beside this)."""

from __future__ import annotations

import logging
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Collection

logger = logging.getLogger(__name__)

_HIGH, _MEDIUM = 0.8, 0.5


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Courtesy(_Section):
    """Fixed replies that need no search."""

    greeting: str
    thanks: str
    goodbye: str
    help: str


class AnswerWords(_Section):
    """What is said where the documents do not have it."""

    ungrounded: str
    ungrounded_about: str
    ungrounded_hint: str
    empty_index: str


class Crisis(_Section):
    """Words for a person in need; the lines themselves come from `bot.crisis`.

    `about_follow` is for who wrote so before; `alerted` is added once someone has been told.
    """

    about_self: str
    about_other: str
    about_poisoning: str
    about_follow: str
    emergency: str
    emergency_unknown: str
    directory: str
    mention: str
    alerted: str


class AlertWords(_Section):
    """For those whom the organisation has named to be told that someone may need help. Nothing is quoted."""

    channel: str
    direct: str
    open: str


class Refusal(_Section):
    """Short, and never replayed."""

    violence: str
    model: str


class ErrorWords(_Section):
    """What people see of a fault: never an exception's text."""

    general: str
    timeout: str
    too_long: str


class SourceWords(_Section):
    """Around the passages of an answer."""

    heading: str
    none: str
    found_keyword: str
    found_vector: str
    found_both: str
    gone: str

    def found(self, found_by: Collection[str]) -> str:
        """How a passage was found, in words; empty where nothing is known of it."""
        match "keyword" in found_by, "vector" in found_by:
            case True, True:
                return self.found_both
            case True, False:
                return self.found_keyword
            case False, True:
                return self.found_vector
            case _:
                return ""


class ConfidenceWords(_Section):
    """How well the shown answer is borne by its sources."""

    high: str
    medium: str
    low: str

    def of(self, confidence: float) -> str:
        """A confidence in [0, 1] in words."""
        if confidence >= _HIGH:
            return self.high
        return self.medium if confidence >= _MEDIUM else self.low


class StatusWords(_Section):
    """While a turn runs."""

    working: str


class Wording(_Section):
    """One language. An unknown or missing key in its file is an error that names it."""

    courtesy: Courtesy
    answer: AnswerWords
    crisis: Crisis
    alert: AlertWords
    refusal: Refusal
    error: ErrorWords
    sources: SourceWords
    confidence: ConfidenceWords
    status: StatusWords


@cache
def crisis_words(language: str | None) -> Crisis | None:
    """The words for a person in need in a language (`crisis/` beside this), None where there are none that can be read.

    It never raises: whoever needs these words is told the same in the language of the other texts.
    """
    if language is None:
        return None
    if language == "en":
        return wording("en").crisis
    try:
        text = resources.files("bot.wording").joinpath("crisis", f"{language}.toml").read_text(encoding="utf-8")
        return Crisis.model_validate(tomllib.loads(text))
    except (OSError, ValueError) as error:
        if not isinstance(error, FileNotFoundError):
            logger.error("the crisis words in %r cannot be read: %s", language, type(error).__name__)  # noqa: TRY400
        return None


@cache
def wording(language: str = "en") -> Wording:
    """The texts of a language. `Misconfigured` names those there are where there is no file for it."""
    folder = resources.files("bot.wording")
    languages = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    if language not in languages:
        msg = f"There are no texts in the language {language!r}. CITEWELL_LANGUAGE can be: {', '.join(languages)}."
        raise Misconfigured(msg)
    text = folder.joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Wording.model_validate(tomllib.loads(text))
