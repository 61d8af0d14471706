"""A service behind an address as a look-up: GET, JSON, one declared host, and nothing else."""

from __future__ import annotations

import asyncio
import json
import socket
from decimal import Decimal
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from adapters.lookups.address import filled, is_loopback
from adapters.lookups.argument import Argument
from adapters.lookups.read import written
from adapters.lookups.row import checked
from adapters.lookups.service import Service, declared
from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from aiohttp.abc import AbstractResolver, ResolveResult
    from pydantic import BaseModel

    from adapters.lookups.settings import EndpointSettings
    from bot.lookup_vocabulary import Vocabulary
    from bot.messages import Author


class Endpoint(Service):
    """A `Lookup` that asks a service. Its reply is read with a limit, numbers as they are written in it.

    `variables` are those of the environment, for headers. No redirect is followed, no cookie kept, no proxy used.
    """

    def __init__(
        self, name: str, said: EndpointSettings, today: Callable[[], date], variables: Mapping[str, str | None]
    ) -> None:
        self._endpoint = said
        self._variables = variables
        required = said.keys if said.required is None else said.required
        arguments = {key: Argument.declared(said.columns[key], required=key in required) for key in said.keys}
        types = {key: column.type for key, column in said.columns.items()}
        card, vocabulary = declared(name, said, answers=said.answers or said.title, arguments=arguments, types=types)
        super().__init__(card, said, vocabulary, today)

    def vocabulary(self) -> Vocabulary:
        """As it was declared. `LookupFailed` where a header's secret is not set."""
        self._headers()
        return super().vocabulary()

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        for name, variable in self._endpoint.headers.items():
            value = self._variables.get(variable)
            if not value or not value.isprintable() or not value.isascii():
                raise self._fault(f"{variable} is not set, or holds what no header can; {name} needs it")
            headers[name] = value
        return headers

    async def _answers(self, arguments: BaseModel, author: Author) -> Sequence[Any]:
        given = {name: str(value) for name, value in arguments.model_dump(exclude_none=True).items()}
        if self._endpoint.person is not None:
            given[self._endpoint.person] = author.id
        try:
            address = filled(self._endpoint.url, given)
        except ValueError:
            raise self._fault("was asked with a value that leads to another place") from None
        body = await self._body(address)
        return await asyncio.to_thread(self._rows, body)

    async def _body(self, address: str) -> bytes:
        import aiohttp
        from yarl import URL

        connector = aiohttp.TCPConnector(resolver=_resolver(self._endpoint))
        timeout = aiohttp.ClientTimeout(total=self.card.seconds)
        try:
            async with (
                aiohttp.ClientSession(
                    connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
                ) as session,
                session.get(URL(address, encoded=True), headers=self._headers(), allow_redirects=False) as reply,
            ):
                if reply.status != 200:
                    raise self._fault(f"its service answered {reply.status}")
                kind = reply.content_type
                if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
                    raise self._fault("its service answered something that is not called JSON")
                if reply.headers.get("Content-Encoding", "identity") != "identity":
                    raise self._fault("its service answered compressed, which was not asked for")
                return await self._limited(reply)
        except (aiohttp.ClientError, OSError) as error:
            raise self._fault(f"its service cannot be reached ({type(error).__name__})") from None

    async def _limited(self, reply: Any) -> bytes:
        read = bytearray()
        async for part in reply.content.iter_any():
            read += part
            if len(read) > self._endpoint.most_bytes:
                raise self._fault(f"its service answered more than {self._endpoint.most_bytes} bytes")
        return bytes(read)

    def _rows(self, body: bytes) -> Sequence[Any]:
        """The rows in a reply, not read yet. Blocking."""
        try:
            found = json.loads(body.decode(), parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_object)
        except (ValueError, RecursionError, ArithmeticError):
            raise self._fault("its service answered no JSON that can be read") from None
        for step in filter(None, self._endpoint.rows.split(".")):
            if not isinstance(found, dict) or step not in found:
                raise self._fault(f"its service's answer has no {self._endpoint.rows}")
            found = found[step]
        if found is None:
            return ()
        return found if isinstance(found, list) else [found]

    def _read(self, answer: Any) -> tuple[Mapping[str, str], BaseModel]:
        if not isinstance(answer, dict):
            raise self._fault("a row of its service is no object")
        cells: dict[str, str] = {}
        for name, column in self._endpoint.columns.items():
            header = column.header or name
            if header in answer:
                cells[name] = self._cell(name, answer[header])
            elif name not in self.card.keys and name != self._endpoint.person:
                raise self._fault(f"a row of its service has no {header}")
        return cells, checked(self.card, cells, "a row of its service")

    def _cell(self, name: str, value: object) -> str:
        if isinstance(value, bool | list | dict):
            raise self._fault(f"a row of its service does not fit in {name}")
        return str(value) if isinstance(value, Decimal) else written(value)

    def _fault(self, said: str) -> LookupFailed:
        return LookupFailed(f"look-up {self.card.name}: {said}")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """ValueError where a name stands twice: which of the two is true, nobody knows."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name stands twice")
    return made


def _no_number(_: str) -> NoReturn:
    raise ValueError("no number")  # NaN and Infinity, which JSON does not have


def _resolver(said: EndpointSettings) -> AbstractResolver:
    """Where the host's name leads: into the world alone, unless it is `private` or this machine.

    An address that is written out in the declaration is not resolved, and goes where it says.
    """
    from aiohttp.abc import AbstractResolver
    from aiohttp.resolver import ThreadedResolver

    anywhere = said.private or is_loopback(urlsplit(said.url).hostname or "")

    class Outward(AbstractResolver):
        def __init__(self) -> None:
            self._inner = ThreadedResolver()

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            found = await self._inner.resolve(host, port, family)
            if not anywhere and not all(ip_address(one["host"].partition("%")[0]).is_global for one in found):
                raise OSError("the name leads into a private network")
            return found

        async def close(self) -> None:
            await self._inner.close()

    return Outward()
