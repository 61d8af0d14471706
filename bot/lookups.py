"""Look-ups in a turn: choose one, run it, and write the answer from its rows. No value passes a model."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from bot.lookup import FEW, LookupFailed, Registry, run
from bot.lookup_answer import answered, hit_of
from bot.lookup_choice import Chosen, Either, Missing, choose
from bot.lookup_rest import PAGE, Rest, Rests
from memory.turn import ROW

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import date

    from bot.lookup import Lookup, Row
    from bot.lookup_choice import Choice
    from bot.lookup_vocabulary import Vocabulary
    from bot.messages import Author, Source
    from bot.trace import Span
    from bot.wording import Wording
    from memory.conversation import Conversation
    from memory.turn import Turn
    from retrieval.evidence import Hit

logger = logging.getLogger(__name__)

_SHOWN_KEYS = 8
_CHOOSING = 5.0
"""Seconds; a table that has changed is read anew within them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A message as it was `typed` and as it stands alone, and the person's `last` turn in its conversation.

    `trace_id` is its turn's, under which it can be asked for more rows.
    """

    typed: str
    standalone: str
    author: Author
    conversation: Conversation
    last: Turn | None = None
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to `question`, and the rows that it stands on. `personal` ones are for the asking person's eyes.

    `more` is the id by which the rows that are left can be asked for, empty where none are; `heading` says of which
    rows these are.
    """

    question: str
    text: str
    sources: tuple[Source, ...]
    personal: bool
    sure: bool = True
    more: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class AskedBack:
    """What has to be known before `question` can be answered; where not `sure`, documents are searched first."""

    question: str
    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Declined:
    """A look-up has this, and may not or cannot give it."""

    question: str
    text: str
    sure: bool = True


Outcome: TypeAlias = Given | AskedBack | Declined


class Lookups:
    """All look-ups there are, for every turn."""

    def __init__(self, registry: Registry, words: Wording) -> None:
        self.registry = registry
        self._words = words
        self._rests = Rests()

    def __len__(self) -> int:
        return len(self.registry)

    async def ask(self, asked: Asked, *, collections: frozenset[str] | None, today: date, span: Span) -> Outcome | None:
        """What the look-ups that this person may ask here have to say to it; None where it is none of theirs."""
        author = asked.author
        open_to = [one for one in self.registry if one.card.open_to(collections, author)]
        if not open_to:
            return None
        try:
            async with asyncio.timeout(_CHOOSING):
                question, choice = await asyncio.to_thread(self._choice, asked, open_to, today)
        except Exception as error:  # noqa: BLE001 - what breaks here costs look-ups, and no answer from documents
            logger.error("no look-up could be chosen: %s", _outline(error))  # noqa: TRY400 - a traceback may quote
            span.set(failed=type(error).__name__)
            return None
        span.set(chosen=type(choice).__name__ if choice else "none")
        match choice:
            case None:
                return None
            case Either(names):
                return AskedBack(question, self._words.lookups.either.format(names=_listed(names)), sure=True)
            case Missing():
                span.set(lookup=choice.lookup.card.name)
                return AskedBack(question, self._asking(choice), sure=choice.sure)
            case Chosen():
                span.set(lookup=choice.lookup.card.name)
                wanted = Rest.whole(choice.lookup.card, choice.keys, choice.columns, asked.conversation, author)
                return await self._given(choice.lookup, wanted, asked, question, today=today, span=span)
            case _:
                assert_never(choice)

    def left_by(self, turn: Turn | None) -> str | None:
        """The id of the rows that this turn left, None where it left none."""
        return None if turn is None else self._rests.of_turn(turn.trace_id)

    async def more(
        self, id_: str, asked: Asked, *, collections: frozenset[str] | None, today: date, span: Span
    ) -> Given | Declined | None:
        """The next rows, for whoever may see them where they ask; None where there is nothing of this id for them."""
        rest = self._rests.get(id_)
        lookup = self.registry.get(rest.lookup) if rest else None
        if rest is None or lookup is None or not lookup.card.open_to(collections, asked.author):
            return None
        if not rest.is_for(asked.conversation, asked.author):
            return None
        span.set(lookup=rest.lookup)
        return await self._given(lookup, rest, asked, asked.standalone, today=today, span=span)

    async def held(self, ids: Collection[str], author: Author, collections: frozenset[str] | None) -> list[Hit]:
        """The rows of these ids as they are now, of the look-ups that this person may ask here."""
        wanted: dict[str, list[str]] = {}
        for one in ids:
            if one.startswith(ROW):
                name, _, row_id = one.removeprefix(ROW).partition(":")
                wanted.setdefault(name, []).append(row_id)
        hits: list[Hit] = []
        for name, row_ids in wanted.items():
            lookup = self.registry.get(name)
            if lookup is None or not lookup.card.open_to(collections, author):
                continue
            try:
                async with asyncio.timeout(lookup.card.seconds):
                    rows = await lookup.again(row_ids, author)
            except Exception as error:  # noqa: BLE001 - whatever broke, the rows are not to be had
                logger.error("look-up %s failed: %s", name, _outline(error))  # noqa: TRY400 - as above
                continue
            hits += [hit_of(lookup.card, row, len(hits) + n, self._words) for n, row in enumerate(rows.values(), 1)]
        return hits

    def _choice(self, asked: Asked, lookups: Sequence[Lookup], today: date) -> tuple[str, Choice | None]:
        """What is asked, and how it is read: as it was typed, as what completes the person's last question, or as it
        was made to stand alone; the first that is whole. Blocking.
        """
        ready = list(_ready(lookups))
        typed = choose(asked.typed, ready, today)
        if isinstance(typed, Chosen):
            return asked.typed, typed
        if (last := asked.last) is not None and last.text:
            before = choose(last.standalone, ready, today)
            if isinstance(before, Missing | Either) and self._said(before) == last.text:
                completed = f"{last.standalone} {asked.typed}"
                whole = choose(completed, _of(before, ready), today)
                if whole is not None and not (isinstance(whole, Missing) and whole.unknown):
                    return completed, whole
        alone = choose(asked.standalone, ready, today) if asked.standalone != asked.typed else None
        first, second = (asked.typed, typed), (asked.standalone, alone)
        if isinstance(alone, Chosen) or typed is None or (isinstance(typed, Missing) and typed.unknown and alone):
            return second if alone is not None else first
        return first

    def _said(self, choice: Missing | Either) -> str:
        if isinstance(choice, Either):
            return self._words.lookups.either.format(names=_listed(choice.names))
        return self._asking(choice)

    def _asking(self, choice: Missing) -> str:
        says, name = self._words.lookups, choice.lookup.card.columns[choice.column]
        more = len(choice.known) - _SHOWN_KEYS
        known = ", ".join(choice.known[:_SHOWN_KEYS]) + (says.keys_more.format(count=more) if more > 0 else "")
        ask = says.unknown if choice.unknown else says.which if known else says.which_open
        return ask.format(column=name, title=choice.lookup.card.title, known=known)

    async def _given(
        self, lookup: Lookup, wanted: Rest, asked: Asked, question: str, *, today: date, span: Span
    ) -> Given | Declined:
        card, says, start = lookup.card, self._words.lookups, wanted.start
        try:
            found = await run(lookup, wanted.keys, asked.author, start=start, most=PAGE if start else FEW)
        except LookupFailed as error:
            logger.error("%s", error)  # noqa: TRY400 - the message says it all
            span.set(failed=type(error).__name__)
            return Declined(question, says.failed.format(title=card.title))
        span.set(rows=found.count)
        if any(_expired(row, today) for row in found.rows):
            span.set(expired=True)
            return Declined(question, says.expired.format(title=card.title))
        if not found.rows:
            return Declined(question, says.no_row.format(title=card.title))
        end = start + len(found.rows)
        left = self._rests.keep(replace(wanted, start=end), asked.trace_id) if end < found.count else ""
        text, sources = answered(card, found, wanted.columns, today, self._words, start=start)
        heading = says.some.format(title=card.title, first=start + 1, last=end, count=found.count)
        return Given(question, text, sources, card.personal, more=left, heading=heading)


def _expired(row: Row, today: date) -> bool:
    return row.origin.expires is not None and row.origin.expires < today


def _of(choice: Missing | Either, ready: Sequence[tuple[Lookup, Vocabulary]]) -> Sequence[tuple[Lookup, Vocabulary]]:
    """Those that the completed question can be for."""
    return [one for one in ready if one[0] is choice.lookup] if isinstance(choice, Missing) else ready


def _ready(lookups: Sequence[Lookup]) -> Iterator[tuple[Lookup, Vocabulary]]:
    """Those that can be asked now, with their words."""
    for one in lookups:
        try:
            yield one, one.vocabulary()
        except Exception as error:  # noqa: BLE001 - one that is broken costs no other
            logger.error("%s", _outline(error))  # noqa: TRY400 - a traceback may quote


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _outline(error: BaseException) -> str:
    return str(error) if isinstance(error, LookupFailed) else type(error).__name__
