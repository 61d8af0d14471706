"""The double's Web API: reads a request, refuses what Slack would refuse, and lets faults happen."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.doubles.slack.faults import ApiError, Broken, Dropped, Fault, RateLimited, Stuck
from tests.doubles.slack.limits import Refused, check_message, check_view
from tests.doubles.slack.scopes import missing_scope

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.doubles.slack.schemas import Schemas
    from tests.doubles.slack.workspace import Workspace

_JSON_FIELDS = {"blocks", "metadata", "attachments", "view"}
_BOOLEANS = {"include_locale", "include_all_metadata", "inclusive", "unfurl_links", "unfurl_media", "link_names"}
_NUMBERS = {"limit"}
_ANSWERS = {"response_type"}  # of an acknowledgement that is a message


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the Web API."""

    method: str
    arguments: dict[str, Any]


class WebApi:
    """`/api/{method}` by GET or POST, as JSON, form or query. `link` gives the address of a fresh Socket Mode link."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        bot_token: str,
        app_token: str,
        link: Callable[[], str],
        schemas: Schemas | None,
        scopes: Collection[str] | None,
    ) -> None:
        self.calls: list[Call] = []
        self.rejections: list[str] = []
        self.faults: dict[str, deque[Fault | None]] = defaultdict(deque)
        self.gone = asyncio.Event()
        self._workspace = workspace
        self._bot_token = bot_token
        self._app_token = app_token
        self._link = link
        self._schemas = schemas
        self._scopes = scopes

    async def serve(self, request: web.Request) -> web.Response:
        """Answer one request."""
        method = request.match_info["method"]
        try:
            arguments = await _arguments(request)
        except ValueError:
            return web.json_response({"ok": False, "error": "invalid_json"})
        self.calls.append(Call(method, arguments))
        fault = self.faults[method].popleft() if self.faults[method] else None
        try:
            answer = await self._answer(method, arguments, request.headers.get("Authorization", ""), fault)
        except Refused as refused:
            self.rejections.append(f"{method}: {refused}")
            needed = {"needed": refused.detail} if refused.code == "missing_scope" else {}
            return web.json_response({"ok": False, "error": refused.code, **needed})
        if isinstance(fault, Dropped) and request.transport is not None:
            request.transport.close()
        return answer

    def check(self, method: str, arguments: dict[str, Any]) -> None:
        """Refuse arguments that break a limit, or, where there are schemas, one of them."""
        if method.startswith("chat.") and method != "chat.getPermalink":
            check_message(arguments)
        if method.startswith("views."):
            check_view(arguments.get("view") or {})
        if self._schemas is not None:
            self._schemas.check_request(method, {name: arguments[name] for name in arguments if name not in _ANSWERS})

    async def _answer(
        self, method: str, arguments: dict[str, Any], authorization: str, fault: Fault | None
    ) -> web.Response:
        match fault:
            case RateLimited(retry_after=seconds):
                body = {"ok": False, "error": "ratelimited"}
                return web.json_response(body, status=429, headers={"Retry-After": str(seconds)})
            case ApiError(error=error):
                return web.json_response({"ok": False, "error": error})
            case Broken(after_the_fact=took_effect):
                if took_effect:
                    self._perform(method, arguments, authorization)
                return web.Response(status=500, text="upstream error")
            case Stuck():
                await self.gone.wait()
                return web.Response(status=500)
            case Dropped() | None:
                answer = {"ok": True, **self._perform(method, arguments, authorization)}
                return web.json_response(answer, headers={"X-OAuth-Scopes": ",".join(self._scopes or ())})

    def _perform(self, method: str, arguments: dict[str, Any], authorization: str) -> dict[str, Any]:
        wanted = self._app_token if method == "apps.connections.open" else self._bot_token
        if authorization != f"Bearer {wanted}":
            raise Refused("invalid_auth" if authorization else "not_authed", "the wrong token or none")
        if method == "apps.connections.open":
            return {"url": self._link()}
        if method not in self._workspace.methods:
            raise Refused("unknown_method", method)
        missing = missing_scope(method, str(arguments.get("channel", "")), self._scopes)
        if missing is not None:
            raise Refused("missing_scope", missing)
        self.check(method, arguments)
        return self._workspace.methods[method](arguments)


async def _arguments(request: web.Request) -> dict[str, Any]:
    """From JSON, a form or a query, typed alike. ValueError for broken JSON."""
    if request.content_type == "application/json":
        given = await request.json()
        return {name: value for name, value in given.items() if value is not None}
    arguments: dict[str, Any] = {**request.query, **(await request.post())}
    for name, value in arguments.items():
        if name in _JSON_FIELDS:
            arguments[name] = json.loads(value)
        elif name in _BOOLEANS:
            arguments[name] = value in {"1", "true"}
        elif name in _NUMBERS:
            arguments[name] = int(value)
    return arguments
