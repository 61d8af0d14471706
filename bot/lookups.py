"""Look-ups in a turn: choose one, run it, and write the answer from its rows. No value passes a model."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from bot.errors import CitewellError
from bot.lookup import FEW, LookupFailed, Registry, run
from bot.lookup_answer import answered, hit_of
from bot.lookup_beside import beside
from bot.lookup_choice import Chosen, Either, Missing, is_unknown
from bot.lookup_heard import Heard, hear
from bot.lookup_outcome import Asked, AskedBack, Declined, Given
from bot.lookup_proposal import candidates, completed, confirmed
from bot.lookup_rest import PAGE, Recent, Rest, Rests
from memory.turn import ROW

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import date

    from bot.lookup import Lookup, Row
    from bot.lookup_outcome import Outcome
    from bot.lookup_proposal import Proposer
    from bot.lookup_vocabulary import Vocabulary
    from bot.messages import Author
    from bot.trace import Span
    from bot.wording import Wording
    from memory.turn import Turn
    from retrieval.evidence import Hit

logger = logging.getLogger(__name__)

_SHOWN_KEYS = 8
_CHOOSING = 5.0
"""Seconds; a table that has changed is read anew within them."""


class Lookups:
    """All look-ups there are, for every turn."""

    def __init__(self, registry: Registry, words: Wording, proposer: Proposer | None = None) -> None:
        """Without a `proposer`, only questions that are understood whole are answered."""
        self.registry = registry
        self._words = words
        self._proposer = proposer
        self._rests = Rests()
        self._pending: Recent[Heard] = Recent()

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
                ready = await asyncio.to_thread(lambda: list(_ready(open_to)))
                heard = await asyncio.to_thread(self._heard, asked, ready, today)
            if heard.choice is None:
                heard = await self._proposed(asked, ready, today, span) or heard
        except Exception as error:  # noqa: BLE001 - what breaks here costs look-ups, and no answer from documents
            logger.error("no look-up could be chosen: %s", _outline(error))  # noqa: TRY400 - a traceback may quote
            span.set(failed=type(error).__name__)
            return None
        return await self._outcome(heard, asked, ready, today=today, span=span)

    async def _outcome(
        self, heard: Heard, asked: Asked, ready: Sequence[tuple[Lookup, Vocabulary]], *, today: date, span: Span
    ) -> Outcome | None:
        question, choice = heard.question, heard.choice
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
                card = choice.lookup.card
                span.set(lookup=card.name)
                wanted = Rest.whole(card, choice.keys, choice.columns, asked.conversation, asked.author)
                given = await self._given(choice.lookup, wanted, asked, question, today=today, span=span)
                given = replace(given, text="\n".join([*self._taken(choice), given.text]))
                if not heard.rest:
                    return given
                if heard.proposed:
                    if isinstance(given, Declined):  # which the documents may know better
                        return replace(given, sure=False)
                    lead = self._words.lookups.proposed.format(title=card.title)
                    given = replace(given, text=f"{lead}\n{given.text}")
                [words] = [vocabulary for lookup, vocabulary in ready if lookup is choice.lookup]
                rows = given.rows if isinstance(given, Given) else ()
                return replace(given, beside=beside(heard.rest, heard.part, choice.columns, rows, words))
            case _:
                assert_never(choice)

    def forget(self) -> None:
        """Drop what questions left behind, since somebody asked to be forgotten."""
        self._rests = Rests()
        self._pending = Recent()

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
            logger.info("look-up %s: %d of %d rows read again", name, len(rows), len(row_ids))
            hits += [hit_of(lookup.card, row, len(hits) + n, self._words) for n, row in enumerate(rows.values(), 1)]
        return hits

    def _heard(self, asked: Asked, ready: Sequence[tuple[Lookup, Vocabulary]], today: date) -> Heard:
        """What is asked, and how it is read: as it was typed, as what completes the person's last question, or as it
        was made to stand alone; the first that is whole. Blocking.
        """
        typed = hear(asked.typed, ready, today)
        if isinstance(typed.choice, Chosen):
            return typed
        if asked.last is not None and (pending := self._pending.get(asked.last.trace_id)) is not None:
            lookup = pending.choice.lookup if isinstance(pending.choice, Missing) else None
            words = next((vocabulary for one, vocabulary in ready if one is lookup), None)
            if words is not None and (filled := completed(pending, asked.typed, words, today)) is not None:
                return filled
        if (last := asked.last) is not None and last.text:
            before = hear(last.standalone, ready, today)
            choice = before.choice
            if isinstance(choice, Missing | Either) and self._said(choice) == last.text:
                whole = before.completed(asked.typed, _of(choice, ready), today)
                if whole.choice is not None and (typed.choice is None or not is_unknown(whole.choice)):
                    return whole
        if asked.standalone == asked.typed:
            return typed
        alone = hear(asked.standalone, ready, today)
        if isinstance(alone.choice, Chosen) or typed.choice is None or (is_unknown(typed.choice) and alone.choice):
            return alone if alone.choice is not None else typed
        return typed

    async def _proposed(
        self, asked: Asked, ready: Sequence[tuple[Lookup, Vocabulary]], today: date, span: Span
    ) -> Heard | None:
        """What a model makes of a question that was not understood whole, where its own words bear it out."""
        if self._proposer is None:
            return None
        question, earlier = asked.standalone, asked.last.standalone if asked.last else ""
        among = await asyncio.to_thread(candidates, question, ready, today)
        if not among:
            return None
        span.set(backend=self._proposer.name)
        try:
            proposal = await self._proposer.propose(question, earlier, [one.lookup.card for one in among])
        except CitewellError as error:
            logger.warning("no look-up was proposed: %s", error)
            span.set(degraded=type(error).__name__)
            return None
        span.set(proposed=proposal is not None)
        if proposal is None:
            return None
        choice = await asyncio.to_thread(confirmed, proposal, question, earlier, among, today)
        span.set(confirmed=choice is not None)
        if choice is None:
            return None
        heard = Heard(question, choice, question, question)
        if isinstance(choice, Missing):
            self._pending.keep(asked.trace_id, heard)
        return heard

    def _taken(self, choice: Chosen) -> list[str]:
        """Which words were taken for values of keys that are written otherwise, so that nobody is taken for another."""
        return [self._words.lookups.taken.format(typed=typed, meant=meant) for typed, meant in choice.taken.items()]

    def _said(self, choice: Missing | Either) -> str:
        if isinstance(choice, Either):
            return self._words.lookups.either.format(names=_listed(choice.names))
        return self._asking(choice)

    def _asking(self, choice: Missing) -> str:
        says, name = self._words.lookups, choice.lookup.card.columns[choice.column]
        more = len(choice.known) - _SHOWN_KEYS
        known = ", ".join(choice.known[:_SHOWN_KEYS])
        known += f" {says.keys_more.format(count=more)}" if more > 0 else ""
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
        return Given(question, text, sources, card.personal, more=left, heading=heading, rows=found.rows)


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
