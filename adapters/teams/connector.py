"""Calls to Teams' connector, as plain JSON.

The SDK's own client drops what it does not know from entities (citations, the AI label, streams), so its adapter is
given this one (`bot_framework.py`). No host is called that is not on the list, and no redirect is followed.
Source: "Bot Connector API reference", learn.microsoft.com.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

import aiohttp
from pydantic import ValidationError
from yarl import URL

from adapters.teams.activities import Account
from adapters.teams.errors import Unsure, from_response
from adapters.teams.hosts import service_allowed
from bot.errors import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from adapters.teams.address import Address

_PAGE = 500
_MOST_PAGES = 20


class TokenSource(Protocol):
    """Where tokens come from."""

    async def __call__(self) -> str:
        """One that is good now; empty where there is none to be had, and none is wanted."""
        ...

    def drop(self) -> None:
        """The last one was refused."""
        ...


class NoTokens:
    """For a service on this machine that asks for none."""

    async def __call__(self) -> str:
        """Nothing."""
        return ""

    def drop(self) -> None:
        """There is nothing to drop."""


class Sends(Protocol):
    """How anything goes out. Every method raises what `Connector` raises."""

    async def send(self, to: Address, activity: Mapping[str, Any]) -> str:
        """Send an activity to a conversation, and give the id that it bears there."""
        ...

    async def take_away(self, of: Address, id_: str) -> None:
        """Delete a message of ours."""
        ...

    async def chat_with(self, person: str, of: Address) -> Address:
        """The chat between this person and us, opened if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Connector:
    """Puts and deletes activities, and asks who somebody is.

    Raises `Transient`, `Unsure`, `Unshowable`, `Permanent` or `Misconfigured`.
    """

    def __init__(
        self, session: aiohttp.ClientSession, tokens: TokenSource, hosts: Collection[str], *, patience: float = 20.0
    ) -> None:
        self._session = session
        self._tokens = tokens
        self._hosts = hosts
        self._patience = patience

    async def post(self, service: str, conversation: str, activity: Mapping[str, Any]) -> str:
        """Put an activity into a conversation, and give the id that it bears there."""
        found = await self._call("POST", service, _activities(conversation), activity)
        return str(found.get("id") or "")

    async def delete(self, service: str, conversation: str, id_: str) -> None:
        """Delete a message of ours."""
        await self._call("DELETE", service, f"{_activities(conversation)}/{quote(id_, safe='')}", None)

    async def open(self, service: str, asked: Mapping[str, Any]) -> str:
        """Open a conversation, or find the one that there is, and give its id."""
        found = await self._call("POST", service, "v3/conversations", asked)
        if not (opened := str(found.get("id") or "")):
            raise Permanent("no chat was opened")
        return opened

    async def member(self, of: Address, person: str) -> Account:
        """Who somebody in a conversation is."""
        path = f"v3/conversations/{quote(of.conversation, safe='')}/members/{quote(person, safe='')}"
        try:
            return Account.model_validate(await self._call("GET", of.service_url, path, None))
        except ValidationError as error:
            raise Permanent("the connector describes nobody") from error

    async def members(self, of: Address) -> list[Account]:
        """Everyone in a conversation. `Permanent` where they are too many to be looked at."""
        found: list[Account] = []
        token = ""
        for _ in range(_MOST_PAGES):
            more = f"&continuationToken={quote(token, safe='')}" if token else ""
            path = f"v3/conversations/{quote(of.conversation, safe='')}/pagedmembers?pageSize={_PAGE}{more}"
            page = await self._call("GET", of.service_url, path, None)
            try:
                found += [Account.model_validate(one) for one in page.get("members") or ()]
            except (ValidationError, TypeError) as error:
                raise Permanent("the connector describes nobody") from error
            if not (token := str(page.get("continuationToken") or "")):
                return found
        raise Permanent("more members than are looked at")

    async def _call(self, method: str, service: str, path: str, body: Mapping[str, Any] | None) -> dict[str, Any]:
        if not service_allowed(service, self._hosts):
            raise Permanent("replies do not go to a host that is not on the list")
        url = URL(f"{service.rstrip('/')}/{path}", encoded=True)
        answer = await self._ask(method, url, body)
        if answer.status == 401:  # a token may be revoked before its time
            self._tokens.drop()
            answer = await self._ask(method, url, body)
        if not 200 <= answer.status < 300:
            raise from_response(
                f"{method} {path.partition('/')[2].partition('/')[0]}", answer.status, answer.headers, answer.body
            )
        try:
            found = json.loads(answer.body or b"{}")
        except ValueError:
            found = {}
        return found if isinstance(found, dict) else {}

    async def _ask(self, method: str, url: URL, body: Mapping[str, Any] | None) -> _Answer:
        token = await self._tokens()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            async with (
                asyncio.timeout(self._patience),
                self._session.request(method, url, json=body, headers=headers, allow_redirects=False) as got,
            ):
                return _Answer(got.status, got.headers, await got.read())
        except aiohttp.ClientConnectorError as error:
            raise Transient(f"no connection to Teams ({type(error).__name__})") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Unsure(f"no answer from Teams ({type(error).__name__})") from error


def _activities(conversation: str) -> str:
    return f"v3/conversations/{quote(conversation, safe='')}/activities"
