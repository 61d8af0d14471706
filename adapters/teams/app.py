"""Teams, wired: activities to the dispatcher, clicks and thumbs to their answers.

A message is in the inbox before Teams is told that it arrived, and Teams is told at once: it waits fifteen seconds and
then sends the message again. Nothing slow happens in between; the answer goes out later, to the address that was kept.
Only of somebody who is not known yet a message waits in RAM, since nothing of a guest's is written down.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from aiohttp import web

from adapters.teams.activities import Malformed, concerns_us, heard
from adapters.teams.address import address_of, place_of
from adapters.teams.answers import as_activity, as_card_answer, as_dialog
from adapters.teams.auth import Refused, from_this_machine
from adapters.teams.cards import note
from adapters.teams.clicks import clicked, comment, thumb
from adapters.teams.errors import Unsure
from adapters.teams.responses import Response
from adapters.waits import Waits
from bot.errors import CitewellError, Transient
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from adapters.teams.activities import Activity, Heard
    from adapters.teams.address import Address
    from adapters.teams.answers import Accepts, Answers
    from adapters.teams.bot_framework import BotFramework
    from adapters.teams.delivery import TeamsDelivery
    from adapters.teams.edits import Edits
    from adapters.teams.users import Users
    from bot.messages import Author
    from bot.wording import Wording
    from memory.outbox import Outbox

_LOG = logging.getLogger(__name__)
_WELCOME = "welcome"


class TeamsApp:
    """The running adapter: `handle` answers POST /api/messages."""

    def __init__(
        self,
        *,
        sdk: BotFramework,
        local: bool,
        delivery: TeamsDelivery,
        dispatcher: Accepts,
        users: Users,
        answers: Answers,
        edits: Edits,
        words: Wording,
        now: Callable[[], datetime],
        grace: float = 3.0,
        waits: Waits | None = None,
    ) -> None:
        self._sdk = sdk
        self._local = local
        self._delivery = delivery
        self._dispatcher = dispatcher
        self._users = users
        self._answers = answers
        self._edits = edits
        self._words = words
        self._now = now
        self._grace = grace
        self._waits = waits or Waits(tries=3)
        self._under_way: set[asyncio.Task[None]] = set()
        self._welcoming: set[str] = set()

    async def handle(self, request: web.Request) -> web.Response:
        """200 once what was sent is safe with us; 401 or 403 for what does not come from Teams or is not for us.

        The token is checked before the body is looked at. 503 asks Teams to send the same again.
        """
        try:
            if self._local:
                from_this_machine(request)
            header = request.headers.get("Authorization", "")
            response = await self._sdk.receive(header, await request.read(), self._take)
        except Refused as error:
            _LOG.warning("a request is refused (%d): %s", error.status, error)
            return web.Response(status=error.status)
        except Malformed as error:
            _LOG.warning("Teams sent what cannot be used: %s", error)
            return web.Response(status=400)
        except (Transient, MemoryUnavailable) as error:
            _LOG.warning("Teams is asked to send it again: %s", error)
            return web.Response(status=503)
        if response is None:
            return web.Response(status=200)
        return web.json_response(response.body, status=response.status)

    @property
    def busy(self) -> bool:
        """Whether something is under way that no message waits for."""
        return bool(self._under_way)

    async def close(self) -> None:
        """Let what is under way come to its end, and let go of it after `grace`. Calling it again does nothing."""
        if self._under_way:
            await asyncio.wait(tuple(self._under_way), timeout=self._grace)
        for task in tuple(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._delivery.close()

    async def _take(self, activity: Activity) -> Response | None:
        match activity.type:
            case "message":
                await self._message(activity)
            case "messageUpdate" if activity.event == "editMessage":
                await self._edited(activity)
            case "messageDelete" if activity.id and not activity.by_bot:
                self._start(self._deleted(activity))
            case "invoke":
                return await self._invoke(activity)
            case "installationUpdate" if activity.action in {"add", "add-upgrade"}:
                self._start(self._welcome(activity))
            case "conversationUpdate" if concerns_us(activity, activity.members_added):
                self._start(self._welcome(activity))
            case "installationUpdate" | "conversationUpdate" if concerns_us(activity, activity.members_removed) or (
                activity.action or ""
            ).startswith("remove"):
                _LOG.info("removed from a conversation: %s", activity.where.place)
            case _:
                pass
        return None

    async def _message(self, activity: Activity) -> None:
        said = heard(activity)
        if said is None:
            if clicked(activity) is not None and not activity.by_bot:
                self._start(self._answer_click(activity))
            return
        author = await self._users.at_once(activity, address_of(activity))
        if author is not None:
            await self._take_in(said, activity, author)
        else:
            self._start(self._take_in_later(said, activity))

    async def _take_in(self, said: Heard, activity: Activity, author: Author) -> None:
        """The address is asked to be kept first, and both are in one commit."""
        await asyncio.gather(
            self._keep(activity, guest=author.guest), self._dispatcher.accept(said.message(author, self._now()))
        )

    async def _take_in_later(self, said: Heard, activity: Activity) -> None:
        """Once it is known whether anything of theirs may be written; Teams has been told by then that it arrived."""
        address = address_of(activity)
        author = await self._users.author(activity, address)
        try:
            await self._take_in(said, activity, author)
        except Transient as error:
            _LOG.warning("%s comes too late, and its author is told so: %s", _key(activity), error)
            await self._sdk.send(address, note(self._words.error.interrupted))

    async def _edited(self, activity: Activity) -> None:
        if activity.by_bot:
            return
        said = heard(activity)
        if said is None:
            await self._edits.not_for_us(_key(activity))
            return
        address = address_of(activity)
        author = await self._users.author(activity, address)
        await self._keep(activity, guest=author.guest)
        await self._edits.changed(said.message(author, self._now()), activity.timestamp)

    async def _deleted(self, activity: Activity) -> None:
        """What answered it is taken away too, as far as Teams lets us."""
        key = _key(activity)
        await self._edits.deleted(activity.where, key)
        for guest in (False, True):
            for sent_as in await self._box(guest=guest).answers(key):
                await self._take_away(address_of(activity), sent_as)

    async def _take_away(self, of: Address, sent_as: str) -> None:
        """What Teams does not let go of, or no longer has, keeps nothing else standing."""
        try:
            await self._waits.through(lambda: self._sdk.take_away(of, sent_as))
        except CitewellError as error:
            _LOG.warning("a part of what answered a deleted message is gone already or stays: %s", error)

    async def _keep(self, activity: Activity, *, guest: bool) -> None:
        address = place_of(activity).model_dump_json()
        await self._box(guest=guest).keep_address(activity.where.place, address, self._now())

    async def _invoke(self, activity: Activity) -> Response:
        """What Teams shows at once comes in the response itself."""
        name, click = activity.name, clicked(activity)
        if name == "message/submitAction":
            self._start(self._note_thumb(activity))
            return Response(200, {})
        if click is None or name not in {"adaptiveCard/action", "task/fetch", "task/submit"}:
            return Response(501, {})
        author = await self._users.author(activity, address_of(activity))
        await self._keep(activity, guest=author.guest)
        shown = await self._answers.to(click, activity, author) or self._words.status.working
        if name != "adaptiveCard/action":  # a button inside a dialog is sent as task/submit, and changes what it shows
            return Response(200, as_dialog(shown, self._words.sources.heading))
        return Response(200, as_card_answer(shown))

    async def _answer_click(self, activity: Activity) -> None:
        click, address = clicked(activity), address_of(activity)
        if click is None:
            return
        author = await self._users.author(activity, address)
        await self._keep(activity, guest=author.guest)
        shown = await self._answers.to(click, activity, author)
        if shown is not None:
            await self._sdk.send(address, as_activity(shown, self._words.sources.heading))

    async def _note_thumb(self, activity: Activity) -> None:
        said, why, address = thumb(activity), comment(activity), address_of(activity)
        if said is None and not why:
            return
        author = await self._users.author(activity, address)
        await self._keep(activity, guest=author.guest)
        try:
            noted = await self._answers.note(said, why, activity, author, self._box(guest=author.guest))
        except Transient as error:
            _LOG.warning("a comment comes too late, and its author is told so: %s", error)
            await self._sdk.send(address, note(self._words.error.interrupted))
            return
        if not noted:
            _LOG.info("a thumb was about an answer of which nothing is kept")

    async def _welcome(self, activity: Activity) -> None:
        """A few words, once a place, however often Teams says that we were added, and whoever it says it of."""
        place = activity.where.place
        if place in self._welcoming:
            return
        self._welcoming.add(place)
        try:
            await self._welcome_once(activity, f"{place}:{_WELCOME}")
        finally:
            self._welcoming.discard(place)

    async def _welcome_once(self, activity: Activity, key: str) -> None:
        address = address_of(activity)
        author = await self._users.author(activity, address)
        for guest in (False, True):
            if await self._box(guest=guest).parts(key):
                return
        box = self._box(guest=author.guest)
        await box.begin(key, 0, of=1, trace="", at=self._now())
        try:
            sent_as = await self._sdk.send(address, note(self._words.courtesy.greeting))
        except Unsure:
            raise
        except CitewellError:
            await box.failed(key, 0)  # Teams said no: they are greeted when it says again that we were added
            raise
        await box.stands(key, 0, sent_as or _WELCOME)

    def _box(self, *, guest: bool) -> Outbox:
        return self._delivery.outbox(guest=guest)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        said = error if isinstance(error, CitewellError) else type(error).__name__
        _LOG.error("could not do what was asked for in Teams: %s", said)


def _key(activity: Activity) -> str:
    """That of the message that it is about."""
    return f"{activity.where.place}:{activity.id}"
