"""The double's sockets: Web API, Socket Mode, and signed requests to the app."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from aiohttp import ClientSession, WSMsgType, web

from tests.doubles.slack import payloads
from tests.doubles.slack.api import Call, WebApi
from tests.doubles.slack.files import FileStore
from tests.doubles.slack.limits import Refused
from tests.doubles.slack.oauth import OAuth
from tests.doubles.slack.schemas import Schemas
from tests.doubles.slack.workspace import APP, BOT, Message, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from tests.doubles.slack.faults import Fault

PATIENCE = 60.0
_UNTYPED = {"user_team", "source_team"}  # Slack sends them; the types of message events lack them
_UNTYPED_OF_FILES = {"client_msg_id", "team"}
Kind = Literal["events_api", "interactive", "slash_commands"]


@dataclass(frozen=True, slots=True)
class Ack:
    """How the app acknowledged: whether it did, and with what (text, JSON or nothing)."""

    ok: bool
    payload: Any = None
    status: int = 200


class SlackDouble:
    """One workspace with one installed app. Use as `async with SlackDouble(...) as slack`.

    With `request_url` set, events go there, signed; else through the Socket Mode connection that the app opened.
    The next `refused_connections` are refused, each address being good for one try.
    `schemas` is the folder of Slack's schemas, `scopes` what the app was granted (None: everything).
    """

    bot_token = "xoxb-test"
    app_token = "xapp-test"
    signing_secret = "test-signing-secret"

    def __init__(self, *, schemas: Path | None = None, scopes: Collection[str] | None = None) -> None:
        self.workspace = Workspace()
        self.tokens = {self.bot_token: self.workspace}
        self.request_url: str | None = None
        self.connections = 0
        self.refused_connections = 0
        self._schemas = Schemas(schemas) if schemas else None
        self.files = self.workspace.files = FileStore(bot_token=self.bot_token, scopes=scopes)
        self._api = WebApi(
            self.tokens,
            app_token=self.app_token,
            link=self._link,
            schemas=self._schemas,
            scopes=scopes,
        )
        self._tickets: set[str] = set()
        self._sockets: list[web.WebSocketResponse] = []
        self._acks: dict[str, asyncio.Future[Ack]] = {}
        self._changed = asyncio.Condition()
        self._runner: web.AppRunner | None = None
        self._session: ClientSession | None = None
        self._origin = ""

    async def __aenter__(self) -> SlackDouble:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._serve_api)
        app.router.add_post("/upload/{id}", self._serve_upload)
        app.router.add_get("/link", self._serve_socket)
        app.router.add_get("/oauth/v2/authorize", self._authorize)
        app.router.add_get("/files-pri/{id}/{name}", self.files.serve)
        app.router.add_get("/signin", self.files.sign_in)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self._origin = f"{host}:{port}"
        self.files.origin = f"http://{self._origin}"
        self.workspace.uploads.origin = self._origin
        self._session = ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._api.gone.set()
        for socket in self._sockets:
            await socket.close()
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        """What `AsyncWebClient(base_url=...)` is given."""
        return f"http://{self._origin}/api/"

    @property
    def oauth(self) -> OAuth:
        """What lets many workspaces install the app; there from the first time that it is asked for."""
        if self._api.oauth is None:
            self._api.oauth = OAuth(self.tokens)
        return self._api.oauth

    @property
    def rejections(self) -> list[str]:
        """What was refused, and why."""
        return self._api.rejections

    def fail(self, method: str, *faults: Fault | None) -> None:
        """Make the next calls of a method go wrong, one fault each; None lets one pass."""
        self._api.faults[method].extend(faults)

    def called(self, method: str) -> list[Call]:
        """The calls of a method so far, refused ones included."""
        return [call for call in self._api.calls if call.method == method]

    async def until(self, reached: Callable[[], Any]) -> None:
        """Wait until something of this double's state holds. TimeoutError if it does not come."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: bool(reached()))

    async def write(self, channel: str, user: str, text: str, *, thread: str | None = None) -> Message:
        """A person writes; nothing is sent to the app yet."""
        message = Message(channel, self.workspace.next_ts(), user, text, thread)
        self.workspace.messages[channel].append(message)
        return message

    def events_of(self, message: Message, **more: Any) -> list[dict[str, Any]]:
        """All events that Slack sends for a message: a mention in a channel comes twice."""
        arguments = (message.channel, message.user, message.text, message.ts)
        events = [payloads.message(*arguments, thread_ts=message.thread_ts, **more)]
        if f"<@{BOT}>" in message.text and not message.channel.startswith("D"):
            events.insert(0, payloads.mention(*arguments, thread_ts=message.thread_ts, **more))
        if self._schemas:
            for event in events:
                untyped = _UNTYPED | (_UNTYPED_OF_FILES if event.get("subtype") == "file_share" else set())
                self._schemas.check_event({name: value for name, value in event.items() if name not in untyped})
        return [payloads.callback(event) for event in events]

    async def say(
        self, channel: str, user: str, text: str, *, thread: str | None = None, **more: Any
    ) -> tuple[Message, list[Ack]]:
        """A person writes and every event of it is delivered."""
        message = await self.write(channel, user, text, thread=thread)
        return message, [await self.deliver(body) for body in self.events_of(message, **more)]

    async def command(self, name: str, channel: str, user: str) -> Ack:
        """A person uses a slash command."""
        return await self.deliver(payloads.command(name, channel, user), "slash_commands")

    async def change(self, event: dict[str, Any]) -> Ack:
        """A person, or Slack itself, changes or deletes a message; see `interactions`."""
        if self._schemas:
            self._schemas.check_change(event)
        return await self.deliver(payloads.callback(event))

    async def click(self, button: dict[str, Any], message: Message, user: str, **more: Any) -> Ack:
        """A person clicks a button of a message."""
        body = payloads.click(button, message.channel, user, message.ts, thread_ts=message.thread_ts, **more)
        return await self.deliver(body, "interactive")

    async def deliver(self, body: dict[str, Any], kind: Kind = "events_api", *, retry: int = 0) -> Ack:
        """Send one payload to the app and wait for its acknowledgement; what it shows is checked like anything else."""
        if "trigger_id" in body:
            self.workspace.views.issue(body["trigger_id"])
        if self.request_url is not None:
            ack = await self.post(body, kind, retry=retry)
        else:
            ack = await self.acknowledged(await self.send(body, kind, retry=retry))
        if isinstance(ack.payload, dict) and "blocks" in ack.payload:
            self._api.check("chat.postMessage", {"channel": "answer", **ack.payload})
        if isinstance(ack.payload, dict) and "view" in ack.payload:
            self._api.check("acknowledgement", {"view": ack.payload["view"]})
        return ack

    async def send(self, body: dict[str, Any], kind: Kind = "events_api", *, retry: int = 0) -> str:
        """Send one envelope over the socket and return its id without waiting."""
        await self.until(lambda: any(not socket.closed for socket in self._sockets))
        envelope_id = secrets.token_hex(8)
        self._acks[envelope_id] = asyncio.get_running_loop().create_future()
        envelope: dict[str, Any] = {
            "envelope_id": envelope_id,
            "payload": body,
            "type": kind,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": retry, "retry_reason": "timeout" if retry else ""}
        await next(socket for socket in self._sockets if not socket.closed).send_json(envelope)
        return envelope_id

    async def send_frame(self, text: str) -> None:
        """Send any text over the socket."""
        await self.until(lambda: any(not socket.closed for socket in self._sockets))
        await next(socket for socket in self._sockets if not socket.closed).send_str(text)

    async def acknowledged(self, envelope_id: str) -> Ack:
        """The acknowledgement of an envelope. TimeoutError if none comes."""
        async with asyncio.timeout(PATIENCE):
            return await self._acks[envelope_id]

    def is_acknowledged(self, envelope_id: str) -> bool:
        """Whether it has come."""
        return self._acks[envelope_id].done()

    async def post(
        self,
        body: dict[str, Any],
        kind: Kind = "events_api",
        *,
        retry: int = 0,
        headers: Mapping[str, str] | None = None,
    ) -> Ack:
        """Send one payload over HTTP, signed; `headers` replace those of the signature."""
        if kind == "events_api":
            text, content_type = json.dumps(body), "application/json"
        else:
            form = body if kind == "slash_commands" else {"payload": json.dumps(body)}
            text, content_type = urlencode(form), "application/x-www-form-urlencoded"
        more = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
        return await self.post_raw(text.encode(), content_type, headers=more | dict(headers or {}))

    async def post_raw(
        self, body: bytes, content_type: str = "application/json", *, headers: Mapping[str, str] | None = None
    ) -> Ack:
        """Send any bytes over HTTP, signed; `headers` replace those of the signature."""
        sent = {"Content-Type": content_type, **self.signature(body)} | dict(headers or {})
        assert self._session is not None
        assert self.request_url is not None
        async with self._session.post(self.request_url, data=body, headers=sent) as got:
            answer = await got.text()
        payload = json.loads(answer) if answer.startswith("{") else answer
        return Ack(got.status == 200, payload, got.status)

    def signature(
        self, body: str | bytes, *, timestamp: int | None = None, secret: str | None = None
    ) -> dict[str, str]:
        """Slack's headers for a body."""
        at = str(int(time.time()) if timestamp is None else timestamp)
        key = (secret or self.signing_secret).encode()
        signed = f"v0:{at}:".encode() + (body.encode() if isinstance(body, str) else body)
        digest = hmac.new(key, signed, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={digest}"}

    async def disconnect(self) -> None:
        """Tell the app to open a new connection, as Slack does every few hours."""
        before = self.connections
        for socket in self._sockets:
            if not socket.closed:
                await socket.send_json({"type": "disconnect", "reason": "refresh_requested", "debug_info": {}})
        await self.until(lambda: self.connections > before)

    async def _serve_api(self, request: web.Request) -> web.Response:
        try:
            return await self._api.serve(request)
        finally:
            await self._changed_state()

    async def _authorize(self, request: web.Request) -> web.Response:
        try:
            address = self.oauth.authorize(dict(request.query))
        except Refused as refused:
            return web.Response(status=400, text=str(refused))
        return web.Response(status=302, headers={"Location": address})

    async def _serve_upload(self, request: web.Request) -> web.Response:
        self.workspace.uploads.content[request.match_info["id"]] = await request.read()
        return web.Response(text="OK")

    def _link(self) -> str:
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return f"ws://{self._origin}/link?ticket={ticket}"

    async def _serve_socket(self, request: web.Request) -> web.WebSocketResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden
        self._tickets.discard(ticket)
        if self.refused_connections:
            self.refused_connections -= 1
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        hello = {"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP}, "debug_info": {}}
        await socket.send_json(hello)
        self._sockets.append(socket)
        self.connections += 1
        await self._changed_state()
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._acknowledge(json.loads(frame.data))
        return socket

    async def _acknowledge(self, answer: dict[str, Any]) -> None:
        waiting = self._acks.get(answer.get("envelope_id", ""))
        if waiting is None or waiting.done():
            self._api.rejections.append("an acknowledgement of no envelope, or a second one")
            return
        waiting.set_result(Ack(ok=True, payload=answer.get("payload")))
        await self._changed_state()

    async def _changed_state(self) -> None:
        async with self._changed:
            self._changed.notify_all()
