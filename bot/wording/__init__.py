"""Every text that people read, from one file a language (`en.toml` beside this)."""

from __future__ import annotations

import logging
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from bot.errors import Misconfigured
from bot.wording.section import Section
from bot.wording.surfaces import (
    AgainWords,
    DocumentWords,
    HomeWords,
    InstallWords,
    PassageWords,
    PostingWords,
    PromptWords,
)
from memory.turn import Fault

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from memory.turn import Source

logger = logging.getLogger(__name__)

_HIGH, _MEDIUM = 0.8, 0.5


class Courtesy(Section):
    """Fixed replies that need no search."""

    greeting: str
    thanks: str
    goodbye: str
    chat: str
    help: str


class AnswerWords(Section):
    """What is said where the documents do not have it, and where an answer that was begun ends otherwise."""

    ungrounded: str
    ungrounded_about: str
    ungrounded_hint: str
    older: str
    older_replaced: str
    upcoming: str
    empty_index: str
    withdrawn: str
    anew: str


class LookupWords(Section):
    """Around answers from tables, and what is asked back before there can be one."""

    which: str
    which_open: str
    unknown: str
    keys_more: str
    either: str
    more: str
    narrower: str
    more_button: str
    some: str
    rest_gone: str
    taken: str
    proposed: str
    rest_missing: str
    rest_apart: str
    as_of: str
    stale: str
    expired: str
    failed: str
    no_row: str
    row_as_of: str
    kept_by: str


class Crisis(Section):
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


class AlertWords(Section):
    """For those whom the organisation has named to be told that someone may need help. Nothing is quoted."""

    channel: str
    direct: str
    comment: str
    open: str


class ForgetWords(Section):
    """What a person is told who asked to be forgotten in a conversation."""

    done: str
    none: str


class FeedbackWords(Section):
    """Under an answer, and after a click there; the rest asks why an answer was marked down."""

    good: str
    bad: str
    thanks: str
    gone: str
    why: str
    invitation: str
    reason: str
    comment: str
    send: str
    skip: str
    faults: Annotated[dict[Fault, str], Field(min_length=len(Fault))]


class Refusal(Section):
    """Short, and never replayed."""

    violence: str
    model: str


class ErrorWords(Section):
    """What people see of a fault: never an exception's text."""

    general: str
    timeout: str
    too_long: str
    busy: str
    interrupted: str
    not_alone: str
    retry: str


class DateWords(Section):
    """How days are written. `months` are the names of all twelve, January first."""

    months: Annotated[tuple[str, ...], Field(min_length=12, max_length=12)]
    month: str
    day: str

    def month_of(self, when: date) -> str:
        """The month and year of a day."""
        return self.month.format(month=self.months[when.month - 1], year=when.year)

    def day_of(self, when: date) -> str:
        """A day with its month and year."""
        return self.day.format(day=when.day, month=self.months[when.month - 1], year=when.year)


class SourceWords(Section):
    """Around the passages of an answer."""

    heading: str
    none: str
    found_keyword: str
    found_vector: str
    found_both: str
    gone: str
    one: str
    no_such: str
    review_due: str
    all: str
    button: str
    ranked: str
    reranked: str
    in_place: str
    none_here: str
    command: str

    def rank_of(self, source: Source) -> str:
        """Its place among what was found, and the one before that where reranking moved it."""
        words = self.ranked if source.rank == source.rank_before_rerank else self.reranked
        return words.format(rank=source.rank, before=source.rank_before_rerank)

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


class AskingOnWords(Section):
    """Where a message asks something of the last answer itself.

    `only_original` is written in each language that people may ask for, by its code; `other` stands for the rest.
    """

    nothing_yet: str
    nothing_more: str
    only_quotes: str
    only_original: dict[str, str]


class ConfidenceWords(Section):
    """How well the shown answer is borne by its sources."""

    high: str
    medium: str
    low: str

    def of(self, confidence: float) -> str:
        """A confidence in [0, 1] in words."""
        if confidence >= _HIGH:
            return self.high
        return self.medium if confidence >= _MEDIUM else self.low


class StatusWords(Section):
    """While a turn runs."""

    working: str
    waiting: str


class Wording(Section):
    """One language. An unknown or missing key in its file is an error that names it."""

    courtesy: Courtesy
    answer: AnswerWords
    lookups: LookupWords
    crisis: Crisis
    forget: ForgetWords
    feedback: FeedbackWords
    documents: DocumentWords
    alert: AlertWords
    refusal: Refusal
    error: ErrorWords
    sources: SourceWords
    passage: PassageWords
    again: AgainWords
    asking_on: AskingOnWords
    dates: DateWords
    confidence: ConfidenceWords
    status: StatusWords
    home: HomeWords
    prompts: PromptWords
    install: InstallWords
    posting: PostingWords

    def mark(self, source: Source) -> str:
        """What a source's name is followed by; empty unless its document's review was due."""
        return self.review_due(source.review_by)

    def review_due(self, when: date | None) -> str:
        """The mark of a document whose review was due on this day; empty for None."""
        return self.sources.review_due.format(month=self.dates.month_of(when)) if when else ""


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
