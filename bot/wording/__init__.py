"""Every text that people read, from one file a language (`en.toml` beside this)."""

from __future__ import annotations

import logging
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import Misconfigured
from memory.turn import Fault

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from memory.turn import Source

logger = logging.getLogger(__name__)

_HIGH, _MEDIUM = 0.8, 0.5


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Courtesy(_Section):
    """Fixed replies that need no search."""

    greeting: str
    thanks: str
    goodbye: str
    chat: str
    help: str


class AnswerWords(_Section):
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
    comment: str
    open: str


class ForgetWords(_Section):
    """What a person is told who asked to be forgotten in a conversation."""

    done: str
    none: str


class FeedbackWords(_Section):
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


class AgainWords(_Section):
    """Where a question is asked again, was changed, or went."""

    retry: str
    ask: str
    edited: str
    not_yours: str
    gone: str
    failed: str
    unsure: str
    withdrawn: str


class DocumentWords(_Section):
    """About files that people send to be taken in as documents; `why` has the reasons, by their codes."""

    taking: str
    taken: str
    updated: str
    unchanged: str
    duplicate: str
    failed: str
    before_stays: str
    lapsed: str
    into: str
    into_public: str
    which: str
    not_yours: str
    not_here: str
    undo: str
    undo_removed: str
    undo_restored: str
    undo_replaced: str
    undo_done: str
    undo_gone: str
    undo_not_yours: str
    why: dict[str, str]


class Refusal(_Section):
    """Short, and never replayed."""

    violence: str
    model: str


class ErrorWords(_Section):
    """What people see of a fault: never an exception's text."""

    general: str
    timeout: str
    too_long: str
    busy: str
    interrupted: str
    retry: str


class DateWords(_Section):
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


class SourceWords(_Section):
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


class PassageWords(_Section):
    """Around one passage that is shown in its place."""

    title: str
    close: str
    before: str
    passage: str
    after: str
    effective: str
    expires: str
    review_by: str
    open: str
    waiting: str
    alone: str
    not_opened: str


class AskingOnWords(_Section):
    """Where a message asks something of the last answer itself.

    `only_original` is written in each language that people may ask for, by its code; `other` stands for the rest.
    """

    nothing_yet: str
    nothing_more: str
    only_quotes: str
    only_original: dict[str, str]


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


class HomeWords(_Section):
    """The bot's own page in Slack."""

    knows: str
    collection: str
    more: str
    updated: str
    nothing: str
    unknown: str
    privacy: str
    privacy_text: str
    forget: str
    forget_sure: str
    forget_yes: str
    forget_no: str
    forgotten: str
    forgotten_waiting: str
    nothing_kept: str
    unforgotten: str
    health: str
    healthy: str
    counted: str
    stages: str
    stages_text: str
    is_on: str
    is_off: str
    turn_on: str
    turn_off: str


class PromptWords(_Section):
    """Questions offered to begin with; `help` is sent as it stands."""

    title: str
    about: str
    help: str


class StatusWords(_Section):
    """While a turn runs."""

    working: str
    waiting: str


class PostingWords(_Section):
    """Where an answer takes another way than it should."""

    file: str
    file_title: str
    refused: str
    archived: str
    closed: str


class PageWords(_Section):
    """A web page: its heading, and what stands below in paragraphs with blank lines between them."""

    title: str
    text: str


class InstallWords(_Section):
    """What people see in the browser when they add the bot to a workspace."""

    add: str
    start: PageWords
    done: PageWords
    cancelled: PageWords
    stale: PageWords
    not_listed: PageWords
    broken: PageWords
    busy: PageWords


class Wording(_Section):
    """One language. An unknown or missing key in its file is an error that names it."""

    courtesy: Courtesy
    answer: AnswerWords
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
