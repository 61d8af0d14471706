"""What a click is answered with: passages in a dialog or as a message, a thumb noted, a question asked again.

Whatever a button carries is looked up anew, with what this person may see in this place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, assert_never

from adapters.risk import at_risk
from adapters.sources import heading
from adapters.teams import cards
from adapters.teams.clicks import AskAgain, ShowPassage, ShowRows, ShowSources
from bot.lookup_outcome import Given
from bot.messages import IncomingMessage
from memory.turn import AGAIN

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.sources import Sources
    from adapters.teams.activities import Activity
    from adapters.teams.clicks import Click, Thumb
    from bot.messages import Author
    from bot.turn import Memories
    from bot.wording import Wording
    from memory.conversation import Conversation
    from memory.outbox import Outbox

Card: TypeAlias = dict[str, Any]
CARD = "application/vnd.microsoft.card.adaptive"
_LONGEST_COMMENT = 2_000


class Accepts(Protocol):
    """Where messages go: the dispatcher."""

    async def accept(self, message: IncomingMessage) -> bool:
        """Store it before returning; False for a duplicate."""
        ...


class Answers:
    """Cards to show, or a sentence where there is none to show."""

    def __init__(
        self,
        *,
        dispatcher: Accepts,
        sources: Sources,
        memories: Memories,
        words: Wording,
        now: Callable[[], datetime],
        at_risk: Callable[[str], bool] = at_risk,
    ) -> None:
        self._at_risk = at_risk
        self._dispatcher = dispatcher
        self._sources = sources
        self._memories = memories
        self._words = words
        self._now = now

    async def to(self, click: Click, activity: Activity, author: Author) -> Card | str | None:
        """A card, or a sentence; None where the answer comes as one of its own."""
        where = activity.where
        match click:
            case ShowSources():
                return await self._shown(where, author)
            case ShowPassage():
                return await self._passage(click, where, author)
            case ShowRows():
                return await self._rows(click, where, author)
            case AskAgain():
                return await self._again(click, activity, author)
            case _:
                assert_never(click)

    async def note(self, thumb: Thumb | None, comment: str, activity: Activity, author: Author, box: Outbox) -> bool:
        """Keep what they think of the answer, in their own memory; False where nothing of it is kept.

        What a guest thinks goes where guests' turns are, which is in RAM. A comment in which someone seems to be at
        risk is kept nowhere, and answered like a message, whatever it is about and however long it is.
        """
        where = activity.where
        if comment and self._at_risk(comment):
            # An invoke may come without an id. Rather answered twice than taken for another comment and not at all.
            made_up = f"{activity.reply_to_id or ''}-comment-{activity.timestamp or self._now().isoformat()}"
            await self._dispatcher.accept(IncomingMessage(activity.id or made_up, where, author, comment, self._now()))
            comment = ""
        trace = None if thumb is None else await box.trace(where.place, thumb.message)
        if thumb is None or trace is None:
            return False
        memory = self._memories.of(guest=author.guest)
        kept = comment[:_LONGEST_COMMENT]
        return await memory.rate(trace, place=where.place, author=author.id, good=thumb.good, comment=kept)

    async def _shown(self, where: Conversation, author: Author) -> Card | str:
        found = await self._sources.of_conversation(where, author)
        return cards.passages(found, self._words) if found else heading(found, self._words)

    async def _passage(self, click: ShowPassage, where: Conversation, author: Author) -> Card | str:
        hit = await self._sources.passage(click.id, where, author)
        if hit is None:
            return self._words.sources.gone
        missed = hit.document.review_missed(self._now().date())
        return cards.passage(hit, click.n, self._words.review_due(missed))

    async def _rows(self, click: ShowRows, where: Conversation, author: Author) -> Card | str:
        found = await self._sources.rows(click.id, where, author)
        if isinstance(found, Given):
            return cards.passages(found.sources, self._words, lead=found.heading, more=found.more)
        return found.text if found else self._words.lookups.rest_gone

    async def _again(self, click: AskAgain, activity: Activity, author: Author) -> str | None:
        """Ask what this person asked there, as if they had written it anew; each click once."""
        turns = await self._memories.of(guest=author.guest).turns(activity.where)
        key = IncomingMessage(click.key, activity.where, author, "", self._now()).key
        asked = next(
            (turn for turn in turns if turn.message == key and turn.author == author.id and turn.question), None
        )
        if asked is None or not activity.id:
            return self._words.error.interrupted
        message = IncomingMessage(activity.id, activity.where, author, asked.question, self._now())
        await self._dispatcher.accept(replace(message, id=f"{click.key}{AGAIN}{activity.id}"))
        return None


def as_dialog(shown: Card | str, title: str) -> dict[str, Any]:
    """The answer to `task/fetch`."""
    content = shown if isinstance(shown, dict) else _said(shown)
    value = {"title": title, "height": "large", "width": "medium", "card": {"contentType": CARD, "content": content}}
    return {"task": {"type": "continue", "value": value}}


def as_card_answer(shown: Card | str) -> dict[str, Any]:
    """The answer to `adaptiveCard/action`."""
    if isinstance(shown, str):
        return {"statusCode": 200, "type": "application/vnd.microsoft.activity.message", "value": shown}
    return {"statusCode": 200, "type": CARD, "value": shown}


def as_activity(shown: Card | str, title: str) -> dict[str, Any]:
    """The answer as a message; `title` stands above a card."""
    if isinstance(shown, str):
        return cards.note(shown)
    return cards.note(title) | {"attachments": [{"contentType": CARD, "content": shown}]}


def _said(text: str) -> Card:
    block = {"type": "TextBlock", "text": text, "wrap": True}
    return {
        "type": "AdaptiveCard",
        "version": "1.5",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "body": [block],
    }
