"""Slack, wired: events to the dispatcher, `/sources`, buttons and thumbs to their answers, over Socket Mode or HTTP.

A message is in the inbox before Slack is acknowledged. Bolt acknowledges events at once unless it is told to
`process_before_response`; then the answer to Slack, be it an HTTP status or a Socket Mode envelope, is whatever the
listener's end makes it, and a listener that raises leaves the event unacknowledged, so that Slack sends it again.
Nothing slow happens in there: answers are the dispatcher's work.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Protocol

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp, AsyncBoltRequest
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import blocks, payload
from adapters.slack.connection import SocketConnection
from adapters.slack.errors import mapped
from adapters.slack.events import PLATFORM, Identity, Reason, read
from adapters.slack.feedback import FEEDBACK_ACTION, clicked
from adapters.slack.home import FORGET_ACTION, HOME_EVENT, STAGE_ACTION, HomeOpened
from adapters.slack.payload import COMMAND, LINK_BUTTON, PASSAGE_BUTTON, Malformed
from adapters.sources import heading
from bot.errors import CitewellError, Misconfigured
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.slack.app_home import AppHome
    from adapters.slack.blocks import Post
    from adapters.slack.threads import Threads
    from adapters.slack.users import Users
    from adapters.sources import Sources
    from bot.messages import Author, IncomingMessage
    from bot.turn import Memories
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
SLACK_API = "https://slack.com/api/"
EVENTS = ("app_mention", "message")
SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "chat:write",
        "commands",
        "groups:history",
        "im:history",
        "im:write",
        "mpim:history",
        "users:read",
    }
)
"""What the manifest asks for."""


class Accepts(Protocol):
    """Where messages go: the dispatcher."""

    async def accept(self, message: IncomingMessage) -> bool:
        """Store it before returning; False for a duplicate."""
        ...


def web_client(token: str, *, base_url: str = SLACK_API) -> AsyncWebClient:
    """A client that tries each call once: whether to try again is decided where it is known what that may do.

    The SDK and Bolt log bodies, with people's words, at INFO and DEBUG, so their loggers begin at WARNING.
    """
    return AsyncWebClient(token=token, base_url=base_url, logger=_quiet("sdk"), retry_handlers=[])


async def identify(client: AsyncWebClient) -> Identity:
    """Who the token belongs to. Raises `Misconfigured` for a bad token, `Transient` if Slack does not answer."""
    with mapped("auth.test"):
        response = await client.auth_test()
    return Identity(team=str(response["team_id"]), user=str(response["user_id"]), bot=str(response.get("bot_id") or ""))


class SlackApp:
    """The running adapter. With an app token it opens a Socket Mode connection, else it answers HTTP requests."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        me: Identity,
        dispatcher: Accepts,
        users: Users,
        threads: Threads,
        sources: Sources,
        memories: Memories,
        home: AppHome,
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
        self._me = me
        self._dispatcher = dispatcher
        self._users = users
        self._threads = threads
        self._sources = sources
        self._memories = memories
        self._home = home
        self._words = words
        self._now = now
        self._app_token = app_token
        self._verifier = SignatureVerifier(signing_secret) if signing_secret else None
        self._bolt = self._wire(signing_secret or "")
        self._ping_interval = ping_interval
        self._socket: SocketConnection | None = None
        self._showing: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Connect, in Socket Mode; over HTTP there is nothing to do. Raises `Misconfigured` for a bad app token."""
        if not self._app_token:
            return
        self._socket = SocketConnection(
            self._answer, self._client, self._app_token, logger=_quiet("sdk"), ping_interval=self._ping_interval
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
        for task in tuple(self._showing):
            task.cancel()
        await asyncio.gather(*self._showing, return_exceptions=True)

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
        try:
            known = payload.read(body)
        except Malformed as error:
            return _refused(error)
        if known is None:
            return BoltResponse(status=200)
        # Bolt's "socket_mode" means that the sender is known and the body parsed, which both are by now.
        return await self._bolt.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=known))

    def _wire(self, signing_secret: str) -> AsyncApp:
        identity = AuthorizeResult(
            enterprise_id=None,
            team_id=self._me.team,
            bot_user_id=self._me.user,
            bot_id=self._me.bot,
            bot_token=self._client.token,
        )

        async def authorize() -> AuthorizeResult:
            """Who we are is known already, so no event has to wait for `auth.test`, or is lost where it fails."""
            return identity

        bolt = AsyncApp(
            name="citewell",
            logger=_quiet("bolt", logging.ERROR),  # it warns of the environment's token, which is not its business
            client=AsyncWebClient(base_url=self._client.base_url, logger=_quiet("sdk")),
            authorize=authorize,
            signing_secret=signing_secret,
            process_before_response=True,
            ssl_check_enabled=False,
        )
        for event in EVENTS:
            bolt.event(event)(self._on_event)
        bolt.event(HOME_EVENT)(self._on_home_opened)
        bolt.command(COMMAND)(self._on_command)
        bolt.action(FORGET_ACTION)(self._on_home_button)
        bolt.action(STAGE_ACTION)(self._on_home_button)
        bolt.action(PASSAGE_BUTTON)(self._on_passage_button)
        bolt.action(LINK_BUTTON)(self._on_link_button)
        bolt.action(FEEDBACK_ACTION)(self._on_feedback)
        return bolt

    async def _on_event(self, body: dict[str, Any]) -> None:
        heard = read(body, self._me)
        if heard is None:
            return
        if heard.reason is Reason.THREAD and not await self._threads.inside(heard.conversation):
            return
        author = await self._users.author(heard.user, self._me.team, outside=heard.outside)
        self._threads.join(heard.conversation)  # first: where nothing can be stored, the next line raises
        await self._dispatcher.accept(heard.message(author, self._now()))

    async def _on_home_opened(self, body: dict[str, Any]) -> None:
        self._start(self._show_home(HomeOpened.model_validate(body["event"])))

    async def _on_home_button(self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any]) -> None:
        """Acknowledge at once; the page is published anew afterwards."""
        await ack()
        self._start(self._use_home(body["user"]["id"], action))

    async def _show_home(self, opened: HomeOpened) -> None:
        await self._home.opened(opened, await self._users.author(opened.user, self._me.team), self._client)

    async def _use_home(self, user: str, action: dict[str, Any]) -> None:
        author = await self._users.author(user, self._me.team)
        value = action.get("value", "")
        await self._home.clicked(action["action_id"], value, self._me.team, author, self._client)

    async def _on_command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        outside = body.get("team_id") != self._me.team
        author = await self._users.author(body["user_id"], self._me.team, outside=outside)
        found = await self._sources.of_person(Conversation(PLATFORM, self._me.team, body["channel_id"]), author)
        title = heading(found, self._words)
        post = blocks.passages(found, self._words, heading=title) if found else blocks.note(title)
        await ack(text=post.text, blocks=list(post.blocks), response_type="ephemeral")

    async def _on_link_button(self, ack: AsyncAck) -> None:
        await ack()

    async def _on_passage_button(self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any]) -> None:
        """Acknowledge at once; the passage follows as a message of its own."""
        await ack()
        self._start(self._show_passage(body, action))

    async def _on_feedback(self, ack: AsyncAck, body: dict[str, Any], action: dict[str, Any]) -> None:
        """Acknowledge at once; that it is noted follows as a message of its own."""
        await ack()
        self._start(self._note_feedback(body, action))

    async def _show_passage(self, body: dict[str, Any], action: dict[str, Any]) -> None:
        conversation, author = await self._place_and_person(body)
        hit = await self._sources.passage(action["value"], conversation, author)
        number = int(action["action_id"].rpartition(":")[2])
        if hit is None:
            post = blocks.note(self._words.sources.gone)
        else:
            missed = hit.document.review_missed(self._now().date())
            post = blocks.passage(hit, number, self._words.review_due(missed))
        await self._whisper(conversation, author, post)

    async def _note_feedback(self, body: dict[str, Any], action: dict[str, Any]) -> None:
        """In the memory of whoever clicked: a guest's is in RAM, and keeps no ratings."""
        if (thumb := clicked(action["value"])) is None:
            return
        trace_id, good = thumb
        conversation, author = await self._place_and_person(body)
        memory = self._memories.of(guest=author.guest)
        noted = await memory.rate(trace_id, place=conversation.place, author=author.id, good=good)
        words = self._words.feedback
        await self._whisper(conversation, author, blocks.note(words.thanks if noted else words.gone))

    async def _place_and_person(self, body: dict[str, Any]) -> tuple[Conversation, Author]:
        """Where a button was clicked, and by whom."""
        user, container = body["user"], body.get("container") or {}
        channel = (body.get("channel") or {}).get("id") or container["channel_id"]
        thread = container.get("thread_ts") or (body.get("message") or {}).get("thread_ts")
        outside = (user.get("team_id") or self._me.team) != self._me.team
        author = await self._users.author(user["id"], self._me.team, outside=outside)
        return Conversation(PLATFORM, self._me.team, channel, thread or ""), author

    async def _whisper(self, conversation: Conversation, author: Author, post: Post) -> None:
        with mapped("chat.postEphemeral"):
            await self._client.chat_postEphemeral(
                channel=conversation.channel,
                user=author.id,
                thread_ts=conversation.thread or None,
                text=post.text,
                blocks=list(post.blocks),
            )

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._showing.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._showing.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        _LOG.error(
            "could not do what a button asked for: %s",
            error if isinstance(error, CitewellError) else type(error).__name__,
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


def _quiet(part: str, level: int = logging.WARNING) -> logging.Logger:
    logger = logging.getLogger(f"{__name__}.{part}")
    logger.setLevel(level)
    return logger
