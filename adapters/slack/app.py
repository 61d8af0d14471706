"""Slack, wired: events to the dispatcher, `/sources`, buttons and thumbs to their answers, over Socket Mode or HTTP.

A message is in the inbox before Slack is acknowledged. Bolt acknowledges events at once unless it is told to
`process_before_response`; then the answer to Slack, be it an HTTP status or a Socket Mode envelope, is whatever the
listener's end makes it, and a listener that raises leaves the event unacknowledged, so that Slack sends it again.
Nothing slow happens in there: answers are the dispatcher's work.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import blocks, payload
from adapters.slack.changes import is_change
from adapters.slack.client import quiet
from adapters.slack.connection import SocketConnection
from adapters.slack.edits import Edits
from adapters.slack.events import PLATFORM, Reason, is_shared_event, read
from adapters.slack.home import HOME_EVENT, HomeOpened
from adapters.slack.interactions import Interactions
from adapters.slack.leaving import departure
from adapters.slack.origin import origin
from adapters.slack.payload import COMMAND, Malformed
from adapters.slack.surfaces import Surfaces
from adapters.sources import heading
from bot.errors import CitewellError, Misconfigured
from memory.conversation import Conversation
from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.forgetting import Forgetter
    from adapters.intake import Intake
    from adapters.slack.app_home import AppHome
    from adapters.slack.edits import Questions
    from adapters.slack.leaving import Departure, Leaving
    from adapters.slack.localities import Localities
    from adapters.slack.origin import Origin
    from adapters.slack.threads import Threads
    from adapters.slack.users import Users
    from adapters.slack.workspaces import Workspace, Workspaces
    from adapters.sources import Sources
    from bot.turn import Memories
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
EVENTS = ("app_mention", "message")


class SlackApp:
    """The running adapter. With an app token it opens a Socket Mode connection, else it answers HTTP requests.

    `client` speaks for the app itself, `workspaces` gives the one that speaks for it in a workspace. What comes from
    where we are not installed, or was meant for another app, is acknowledged and left alone.
    """

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        workspaces: Workspaces,
        leaving: Leaving,
        localities: Localities,
        dispatcher: Questions,
        users: Users,
        threads: Threads,
        sources: Sources,
        memories: Memories,
        intake: Intake,
        home: AppHome,
        forgetter: Forgetter,
        words: Wording,
        now: Callable[[], datetime],
        app_token: str | None = None,
        signing_secret: str | None = None,
        ping_interval: float = 10,
    ) -> None:
        if not app_token and not signing_secret:
            raise Misconfigured(
                "Slack needs an app token (xapp-, for Socket Mode) or a signing secret (for HTTP): set one of them"
            )
        self._client = client
        self._workspaces = workspaces
        self._leaving = leaving
        self._localities = localities
        self._dispatcher = dispatcher
        self._users = users
        self._threads = threads
        self._sources = sources
        self._intake = intake
        self._interactions = Interactions(
            users,
            surfaces=Surfaces(sources, memories, dispatcher, words, now),
            edits=Edits(dispatcher, memories, forgetter, words),
            home=home,
            intake=intake,
            now=now,
        )
        self._words = words
        self._now = now
        self._app_token = app_token
        self._verifier = SignatureVerifier(signing_secret) if signing_secret else None
        self._bolt = self._wire(signing_secret or "")
        self._ping_interval = ping_interval
        self._socket: SocketConnection | None = None

    async def start(self) -> None:
        """Connect, in Socket Mode; over HTTP there is nothing to do. Raises `Misconfigured` for a bad app token."""
        if not self._app_token:
            return
        self._socket = SocketConnection(
            self._answer, self._client, self._app_token, logger=quiet("sdk"), ping_interval=self._ping_interval
        )
        try:
            await self._socket.open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Disconnect and let go of everything. Calling it again does nothing."""
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()
        await self._interactions.close()

    async def connected(self) -> bool:
        """Whether messages can arrive: always over HTTP, in Socket Mode while the connection stands."""
        return not self._app_token or (self._socket is not None and await self._socket.connected())

    async def handle(self, request: web.Request) -> web.Response:
        """Answer POST /slack/events. Whatever is not signed by Slack within five minutes gets 401.

        The signature is checked before anything of the request is read.
        """
        body = await request.read()
        if self._verifier is None or not _signed(self._verifier, body, request):
            return web.json_response({"error": "invalid request"}, status=401)
        try:
            sent = payload.decoded(body)
        except Malformed as error:
            return await to_aiohttp_response(_refused(error))
        return await to_aiohttp_response(await self._answer(sent))

    async def _answer(self, body: object) -> BoltResponse:
        """What Slack gets for a body that is surely its own, over HTTP or Socket Mode."""
        if (departed := departure(body)) is not None:
            return await self._follow(departed, origin(body))
        try:
            known = payload.read(body)
        except Malformed as error:
            return _refused(error)
        if known is None:
            return BoltResponse(status=200)
        if known.get("type") == "url_verification":
            return await self._dispatch(known, {})
        sent = origin(body)
        with self._leaving.inside(sent.team):
            try:
                here = await self._here(sent)
            except CitewellError as error:
                return _not_taken(error)
            return BoltResponse(status=200) if here is None else await self._dispatch(known, {"here": here})

    async def _dispatch(self, known: dict[str, Any], context: dict[str, Any]) -> BoltResponse:
        # Bolt's "socket_mode" means that the sender is known and the body parsed, which both are by now.
        return await self._bolt.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=known, context=context))

    async def _follow(self, departed: Departure, sent: Origin) -> BoltResponse:
        """Acknowledged once all is deleted, so that Slack says it again if that could not be done."""
        try:
            here = await self._workspaces.at(sent)
            if here is None or _ours(here, sent):
                await self._leaving.follow(departed, sent)
        except (CitewellError, MemoryUnavailable, RetrievalError, OSError) as error:
            return _not_taken(error)
        return BoltResponse(status=200)

    async def _here(self, sent: Origin) -> Workspace | None:
        """Our place in the workspace that something came from, if it was meant for us; if not, the log says why."""
        here = await self._workspaces.at(sent)
        if here is None:
            _LOG.warning("left alone: Citewell is not installed in the workspace %s", sent.team or "that it is not of")
        if here is None or not _ours(here, sent):
            return None
        self._localities.of(here.me.team)
        return here

    def _wire(self, signing_secret: str) -> AsyncApp:
        bolt = AsyncApp(
            name="citewell",
            logger=quiet("bolt", logging.ERROR),  # it warns of the environment's token, which is not its business
            client=AsyncWebClient(base_url=self._client.base_url, logger=quiet("sdk")),
            authorize=_authorized,
            signing_secret=signing_secret,
            process_before_response=True,
            ssl_check_enabled=False,
        )
        for event in EVENTS:
            bolt.event(event)(self._on_event)
        bolt.event(HOME_EVENT)(self._on_home_opened)
        bolt.command(COMMAND)(self._on_command)
        self._interactions.wire(bolt)
        return bolt

    async def _on_event(self, body: dict[str, Any], here: Workspace) -> None:
        if is_change(body["event"]):
            await self._interactions.change(body, here)
            return
        heard = read(body, here.me, for_files=self._intake.permission.channels)
        if heard is None:
            return
        if heard.reason is Reason.THREAD and not await self._threads.inside(heard.conversation):
            return
        outside = heard.outside or is_shared_event(body)
        author = await self._users.author(heard.user, here, heard.conversation.channel, outside=outside)
        self._threads.join(heard.conversation)  # first: where nothing can be stored, the next line raises
        await self._dispatcher.accept(heard.message(author, self._now()))

    async def _on_home_opened(self, body: dict[str, Any], here: Workspace) -> None:
        self._interactions.home_opened(HomeOpened.model_validate(body["event"]), here)

    async def _on_command(self, ack: AsyncAck, body: dict[str, Any], here: Workspace) -> None:
        if body.get("text", "").strip().casefold() == "help":
            post = blocks.note(self._words.sources.command)
            await ack(text=post.text, blocks=list(post.blocks), response_type="ephemeral")
            return
        outside = body.get("team_id") != here.me.team
        author = await self._users.author(body["user_id"], here, body["channel_id"], outside=outside)
        if author.unknown:
            await ack(text=self._words.again.unsure, response_type="ephemeral")
            return
        try:
            found = await self._sources.of_person(Conversation(PLATFORM, here.me.team, body["channel_id"]), author)
        except (RetrievalError, MemoryUnavailable) as error:
            _LOG.error("sources cannot be looked up: %s", error)
            await ack(text=self._words.again.failed, response_type="ephemeral")
            return
        title = heading(found, self._words)
        post = blocks.passages(found, self._words, heading=title) if found else blocks.note(title)
        await ack(text=post.text, blocks=list(post.blocks), response_type="ephemeral")


def _ours(here: Workspace, sent: Origin) -> bool:
    """Whether it was meant for this app, as far as that is known; if not, the log says so."""
    ours = here.me.app in {"", sent.app}
    if not ours:
        _LOG.warning("left alone: it was sent to the app %s, and this is %s", sent.app or "unnamed", here.me.app)
    return ours


def _not_taken(error: Exception) -> BoltResponse:
    _LOG.error("not acknowledged, so that Slack sends it again: %s", error)
    return BoltResponse(status=503)


async def _authorized(here: Workspace) -> AuthorizeResult:
    """Who we are is known already, so no event has to wait for `auth.test`, or is lost where it fails."""
    return AuthorizeResult(
        enterprise_id=here.me.enterprise or None,
        team_id=here.me.team,
        bot_user_id=here.me.user,
        bot_id=here.me.bot,
        bot_token=here.client.token,
    )


def _signed(verifier: SignatureVerifier, body: bytes, request: web.Request) -> bool:
    """Whether Slack sent this just now. On a timestamp that is no number, or bytes that are no text, the SDK raises."""
    timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
    try:
        return verifier.is_valid(body, timestamp, request.headers.get("X-Slack-Signature", ""))
    except (ValueError, TypeError, OverflowError):
        return False


def _refused(error: Malformed) -> BoltResponse:
    _LOG.warning("Slack sent what cannot be used (answered %d): %s", error.status, error)
    return BoltResponse(status=error.status)
