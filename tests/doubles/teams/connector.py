"""The connector: conversations, the activities that the bot put there, and what it is refused."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, assert_never

from aiohttp import web

from tests.doubles.teams.faults import Broken, Dropped, Fault, RateLimited, Refuses, Stuck
from tests.doubles.teams.people import BOT, TENANT, Person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LIMIT = 100_000
"""Bytes of an activity in UTF-16, as Teams counts them."""
_TYPES = {"message", "typing"}
_CARD = "application/vnd.microsoft.card.adaptive"


@dataclass(frozen=True, slots=True)
class Posted:
    """One activity of the bot. `to` is the person whose chat alone it went to."""

    conversation: str
    id: str
    activity: dict[str, Any]
    to: str | None = None

    @property
    def text(self) -> str:
        """Its words."""
        return str(self.activity.get("text") or "")

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The contents of its cards."""
        return [one["content"] for one in self.activity.get("attachments") or ()]


@dataclass(slots=True)
class Connector:
    """What stands where. Who is `inside` a place is told there, else all users are."""

    token: str
    people: dict[str, Person] = field(default_factory=dict)
    posted: list[Posted] = field(default_factory=list)
    typing: list[Posted] = field(default_factory=list)
    rejections: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    faults: dict[str, deque[Fault | None]] = field(default_factory=lambda: defaultdict(deque))
    opened: list[str] = field(default_factory=list)
    chats: dict[str, str] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    streams: dict[str, bool] = field(default_factory=dict)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    changed: Callable[[], Any] = lambda: None
    _number: int = 0

    def routes(self, app: web.Application) -> None:
        """Where the bot's calls arrive."""
        app.router.add_post("/v3/conversations", self._create)
        app.router.add_post("/v3/conversations/{conversation}/activities", self._post)
        app.router.add_post("/v3/conversations/{conversation}/activities/{activity}", self._post)
        app.router.add_delete("/v3/conversations/{conversation}/activities/{activity}", self._delete)
        app.router.add_get("/v3/conversations/{conversation}/pagedmembers", self._members)
        app.router.add_get("/v3/conversations/{conversation}/members/{person}", self._member)

    def messages(self, conversation: str | None = None) -> list[Posted]:
        """The messages there, or all."""
        return [one for one in self.posted if conversation is None or one.conversation == conversation]

    async def _create(self, request: web.Request) -> web.StreamResponse:
        def act(body: Any) -> dict[str, Any]:
            members = body.get("members") or []
            if body.get("bot") != {"id": BOT} or len(members) != 1 or body.get("tenantId") != TENANT:
                raise _Rejected(400, "BadSyntax", "a chat needs the bot, one member and the tenant")
            person = self._person(members[0].get("id"))
            self.opened.append(members[0]["id"])
            chat = f"a:1chat-{person.id.removeprefix('29:')}"
            self.chats[chat] = person.id
            return {"id": chat}

        return await self._serve(request, "create", act)

    async def _delete(self, request: web.Request) -> web.StreamResponse:
        where, id_ = request.match_info["conversation"], request.match_info["activity"]

        def act(_: Any) -> dict[str, Any]:
            if not any((one.conversation, one.id) == (where, id_) for one in self.posted):
                raise _Rejected(404, "ActivityNotFoundInConversation", "no such message")
            self.posted = [one for one in self.posted if (one.conversation, one.id) != (where, id_)]
            return {}

        return await self._serve(request, "delete", act)

    async def _member(self, request: web.Request) -> web.StreamResponse:
        return await self._serve(request, "member", lambda _: self._person(request.match_info["person"]).member())

    async def _members(self, request: web.Request) -> web.StreamResponse:
        """A page of one, so that there are several."""
        where, at = request.match_info["conversation"].partition(";")[0], int(request.query.get("continuationToken", 0))

        def act(_: Any) -> dict[str, Any]:
            there = self.inside.get(where, [person.id for person in self.people.values() if person.role == "user"])
            more = {"continuationToken": str(at + 1)} if at + 1 < len(there) else {}
            return {"members": [self._person(id_).member() for id_ in there[at : at + 1]], **more}

        return await self._serve(request, "members", act)

    def _person(self, id_: object) -> Person:
        for person in self.people.values():
            if id_ in {person.id, person.directory}:
                return person
        raise _Rejected(404, "MemberNotFoundInConversation", "nobody of that id")

    async def _post(self, request: web.Request) -> web.StreamResponse:
        where = request.match_info["conversation"]

        def act(body: Any) -> dict[str, Any]:
            self._number += 1
            posted = Posted(where, f"1764{self._number:09}", body, self.chats.get(where))
            self._check(posted)
            streamed = self._streamed(posted)
            posted = replace(posted, id=streamed or posted.id)
            if body["type"] == "typing":
                self.typing.append(posted)
            else:
                self.posted.append(posted)
            return {"id": posted.id}

        return await self._serve(request, "send", act)

    def _streamed(self, posted: Posted) -> str:
        """Teams' rules for a message that is shown as being written."""
        infos = [one for one in posted.activity.get("entities") or () if one.get("type") == "streaminfo"]
        if not infos:
            return ""
        [info] = infos
        if not posted.conversation.startswith("a:"):
            raise _Rejected(405, "BadArgument", "streaming is for chats with one person")
        if info.get("streamType") == "informative" and posted.activity["type"] == "typing":
            stream = str(info.get("streamId") or posted.id)
            self.streams[stream] = False
            return stream
        stream = str(info.get("streamId"))
        if info.get("streamType") != "final" or posted.activity["type"] != "message" or stream not in self.streams:
            raise _Rejected(400, "BadArgument", "no such stream, or not its end")
        if self.streams[stream]:
            raise _Rejected(
                403, "ContentStreamNotAllowed", "Content stream is not allowed on an already completed message"
            )
        self.streams[stream] = True
        return stream

    def _check(self, posted: Posted) -> None:
        activity = posted.activity
        size = len(json.dumps(activity, ensure_ascii=False).encode("utf-16-le", "surrogatepass"))
        if size > LIMIT:
            raise _Rejected(413, "MessageSizeTooBig", "too big")
        if activity.get("type") not in _TYPES or activity.get("conversation") != {"id": posted.conversation}:
            raise _Rejected(400, "BadSyntax", "no such type, or another conversation")
        if (activity.get("from") or {}).get("id") != BOT:
            raise _Rejected(400, "BadSyntax", "it is not from the bot")
        if activity["type"] == "message" and not activity.get("text") and not activity.get("attachments"):
            raise _Rejected(400, "BadSyntax", "an empty message")
        for one in activity.get("attachments") or ():
            content = one.get("content") or {}
            if (
                one.get("contentType") != _CARD
                or content.get("type") != "AdaptiveCard"
                or content.get("version", "9") > "1.5"
            ):
                raise _Rejected(400, "BadSyntax", "no card that Teams shows")
        roots = [
            one for one in activity.get("entities") or () if str(one.get("type", "")).startswith("https://schema.org")
        ]
        if len(roots) > 1:
            raise _Rejected(400, "BadSyntax", "more than one root entity")
        for root in roots:
            _check_citations(root.get("citation") or ())

    async def _serve(self, request: web.Request, call: str, act: Callable[[Any], dict[str, Any]]) -> web.StreamResponse:
        try:
            self.calls.append(call)
            if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
                return self._rejected(call, 401, "Unauthorized", "no token, or another")
            body = await request.json() if request.can_read_body else None
            fault = self.faults[call].popleft() if self.faults[call] else None
            if fault is not None:
                return await self._fail(request, fault, lambda: act(body))
            return web.json_response(act(body), status=201 if request.method == "POST" else 200)
        except _Rejected as error:
            return self._rejected(call, error.status, error.code, str(error))
        finally:
            await self.changed()

    async def _fail(self, request: web.Request, fault: Fault, act: Callable[[], object]) -> web.StreamResponse:
        match fault:
            case RateLimited():
                return web.Response(status=429, headers={"Retry-After": str(fault.retry_after)})
            case Broken():
                if fault.after_the_fact:
                    act()
                return web.Response(status=fault.status)
            case Refuses():
                error = {"error": {"code": fault.code, "message": fault.words}}
                return web.json_response(error, status=fault.status)
            case Stuck():
                if fault.after_the_fact:
                    act()
                await self.gone.wait()
                return web.Response(status=503)
            case Dropped():
                act()
                assert request.transport is not None
                request.transport.abort()
                return web.Response(status=503)
            case _:
                assert_never(fault)

    def _rejected(self, call: str, status: int, code: str, why: str) -> web.Response:
        self.rejections.append(f"{call}: {status} {code}: {why}")
        return web.json_response({"error": {"code": code, "message": why}}, status=status)


class _Rejected(Exception):
    def __init__(self, status: int, code: str, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.code = code


def _check_citations(citations: Iterable[Any]) -> None:
    cited = list(citations)
    if len(cited) > 20 or len({one["position"] for one in cited}) != len(cited):
        raise _Rejected(400, "BadSyntax", "more citations than there may be, or two of one number")
    for one in cited:
        shown = one["appearance"]
        if not (0 < len(shown["name"]) <= 80 and 0 < len(shown["abstract"]) <= 160 and one["position"] > 0):
            raise _Rejected(400, "BadSyntax", "a citation without its name or abstract, or with too long a one")
