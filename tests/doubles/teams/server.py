"""The double's sockets, and what it sends to the app."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import ClientSession, web

from tests.doubles.teams import openid
from tests.doubles.teams.connector import Connector, Posted
from tests.doubles.teams.people import BOT, BOT_NAME, EVERYONE, TENANT, Person

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.doubles.teams.faults import Fault

PATIENCE = 60.0
GROUP = "19:group@thread.v2"
CHANNEL = "19:ward@thread.tacv2"


@dataclass(frozen=True, slots=True)
class Given:
    """What the app answered an activity with."""

    status: int
    body: Any = None


class TeamsDouble:
    """One tenant with one bot. Use as `async with TeamsDouble() as teams`; activities go to `endpoint`.

    Without `token`, calls need none, as with Microsoft's playground.
    """

    def __init__(self, *, token: str = "static-token") -> None:
        self.token = token
        self.provider = openid.Provider()
        self.connector = Connector(token, {person.id: person for person in EVERYONE})
        self.endpoint = ""
        self.elsewhere: list[str] = []
        self._changed = asyncio.Condition()
        self.connector.changed = self._notify
        self._runner: web.AppRunner | None = None
        self._session: ClientSession | None = None
        self._origin = ""
        self._number = 0

    async def __aenter__(self) -> TeamsDouble:
        app = web.Application(client_max_size=4 * 1024 * 1024)
        self.connector.routes(app)
        app.router.add_get("/.well-known/openidconfiguration", self._openid)
        app.router.add_get("/keys", self._keys)
        app.router.add_route("*", "/{path:.*}", self._elsewhere)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self._origin = f"http://{host}:{port}"
        self._session = ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.connector.gone.set()
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def service_url(self) -> str:
        """What activities say replies go to."""
        return f"{self._origin}/"

    @property
    def openid_url(self) -> str:
        """Where the keys are published."""
        return f"{self._origin}/.well-known/openidconfiguration"

    @property
    def rejections(self) -> list[str]:
        """What was refused, and why."""
        return self.connector.rejections

    def fail(self, call: str, *faults: Fault | None) -> None:
        """Make the next calls of a kind (send, create, member) go wrong, one fault each; None lets one pass."""
        self.connector.faults[call].extend(faults)

    async def until(self, reached: Callable[[], Any]) -> None:
        """Wait until something of this double's state holds. TimeoutError if it does not come."""
        async with asyncio.timeout(PATIENCE), self._changed:
            await self._changed.wait_for(lambda: bool(reached()))

    def activity(self, conversation: str, by: Person, **more: Any) -> dict[str, Any]:
        """What Teams says about anything that happens there."""
        self._number += 1
        kind = "personal" if conversation.startswith("a:") else "channel" if ".tacv2" in conversation else "groupChat"
        info = {"type": "clientInfo", "locale": by.locale, "country": by.country, "timezone": "Europe/London"}
        entities = [*more.pop("entities", ()), info]
        return {
            "id": f"f:{self._number}",
            "channelId": "msteams",
            "serviceUrl": self.service_url,
            "from": by.account(),
            "recipient": {"id": BOT, "name": BOT_NAME},
            "conversation": {"id": conversation, "conversationType": kind, "tenantId": TENANT},
            "locale": by.locale,
            "channelData": {"tenant": {"id": TENANT}},
            **more,
            "entities": entities,
        }

    def message(self, conversation: str, by: Person, text: str, **more: Any) -> dict[str, Any]:
        """A person writes, with a mention wherever that is needed. To a channel's own id it begins a thread."""
        entities = []
        if not conversation.startswith("a:"):
            mention = f"<at>{BOT_NAME}</at>"
            text = f"{mention} {text}"
            entities = [{"type": "mention", "mentioned": {"id": BOT, "name": BOT_NAME}, "text": mention}]
        said = self.activity(conversation, by, type="message", text=text, textFormat="plain", entities=entities)
        if conversation.endswith(".tacv2"):
            root = f"1764500{self._number:06}"
            said["conversation"]["id"] = f"{conversation};messageid={root}"
            said["id"] = root
        return said | more

    def token_for(self, activity: Mapping[str, Any], **claims: Any) -> str:
        """A token as Teams sends with an activity."""
        return openid.token(str(activity["serviceUrl"]), **claims)

    async def deliver(
        self, activity: Mapping[str, Any], *, header: str | None = None, headers: Mapping[str, str] | None = None
    ) -> Given:
        """Send one activity with a good token, or with any Authorization `header` (empty: none)."""
        bearer = f"Bearer {self.token_for(activity)}" if header is None and self.token else header
        return await self.post(json.dumps(activity).encode(), bearer or "", headers=headers)

    async def post(self, body: bytes, header: str, *, headers: Mapping[str, str] | None = None) -> Given:
        """Send any bytes."""
        assert self._session is not None
        sent = {"Content-Type": "application/json", **({"Authorization": header} if header else {}), **(headers or {})}
        async with self._session.post(self.endpoint, data=body, headers=sent) as got:
            text = await got.text()
        try:
            return Given(got.status, json.loads(text))
        except ValueError:
            return Given(got.status, text)

    def messages(self, conversation: str | None = None) -> list[Posted]:
        """What the bot posted there, or anywhere."""
        return self.connector.messages(conversation)

    async def _openid(self, _: web.Request) -> web.Response:
        self.provider.asked += 1
        if self.provider.down:
            return web.Response(status=503)
        return web.json_response({"issuer": openid.ISSUER, "jwks_uri": f"{self._origin}/keys"})

    async def _keys(self, _: web.Request) -> web.Response:
        return web.json_response(self.provider.keys())

    async def _elsewhere(self, request: web.Request) -> web.Response:
        self.elsewhere.append(request.path)
        return web.Response(status=404)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
