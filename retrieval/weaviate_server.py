"""One Weaviate server: the connection to it, and what its errors mean."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import httpx
import weaviate
from weaviate.classes.config import ConsistencyLevel
from weaviate.classes.init import AdditionalConfig, Auth, GrpcConfig, Timeout
from weaviate.collections import CollectionAsync
from weaviate.exceptions import (
    AuthenticationFailedError,
    InsufficientPermissionsError,
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateInsertManyAllFailedError,
)

from retrieval.errors import IndexUnavailable
from retrieval.weaviate_address import EMBEDDED, address
from retrieval.weaviate_embedded import Embedded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence
    from pathlib import Path

    from weaviate import WeaviateAsyncClient
    from weaviate.classes.data import DataObject

    from retrieval.weaviate_address import Address
    from retrieval.weaviate_embedded import Programs

T = TypeVar("T")
Objects: TypeAlias = CollectionAsync[Any, Any]

QUERY_SECONDS = 10.0
"""How long a search may take, the client's own retries of an unreachable server included."""

WRITE_SECONDS = 300.0
"""How long one document's replacement may take."""

RECONNECT_MS = 500
"""How soon gRPC tries again to reach a server that was away: before the client asks it a second time.

By itself it waits longer each time, up to two minutes."""

OLDEST = (1, 33)
"""The first server with the filter `ContainsNone`."""

_BATCH = 100


class Server:
    """A connected client. What goes wrong comes out as IndexUnavailable, and never quotes a document or a question."""

    def __init__(
        self, client: WeaviateAsyncClient, where: Address, patience: float, program: Embedded | None = None
    ) -> None:
        self.client = client
        self.where = where
        self._patience = patience
        self._program = program

    @classmethod
    async def connect(
        cls,
        url: str,
        api_key: str | None,
        *,
        data: Path | None = None,
        programs: Programs | None = None,
        patience: float = QUERY_SECONDS,
    ) -> Server:
        """Connect over HTTP, and check the server's version; gRPC is tried by `check_grpc`.

        `embedded` in place of an address runs one of `programs` on the objects in `data`, until `close`.
        `patience` is how many seconds an answer may take, at most `QUERY_SECONDS`.
        """
        logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)  # its errors quote the objects refused
        if url != EMBEDDED or data is None:
            return await cls._connect(address(url), api_key, patience, None)
        program = await Embedded.start(data, api_key, programs)
        try:
            return await cls._connect(address(program.url), program.api_key, patience, program)
        except BaseException:
            await program.stop()
            raise

    @classmethod
    async def _connect(cls, where: Address, api_key: str | None, patience: float, program: Embedded | None) -> Server:
        """The client's own checks are left out: they ask a package registry for its newest version."""
        client = weaviate.use_async_with_custom(
            where.host,
            where.port,
            where.secure,
            where.grpc_host,
            where.grpc_port,
            where.secure,
            auth_credentials=Auth.api_key(api_key) if api_key else None,
            additional_config=AdditionalConfig(
                timeout=Timeout(init=5, query=QUERY_SECONDS, insert=60),
                grpc_config=GrpcConfig(channel_options=[("grpc.max_reconnect_backoff_ms", RECONNECT_MS)]),
            ),
            skip_init_checks=True,
        )
        server = cls(client, where, patience, program)
        try:
            async with asyncio.timeout(patience):
                await client.connect()
            await server._wait_until_ready()
            await server._check_version()
        except (WeaviateBaseError, httpx.HTTPError, OSError) as error:
            await client.close()
            raise await server._closed(error) from error
        except BaseException:
            await client.close()
            raise
        return server

    def objects(self, name: str, *, replicated: bool, writing: bool) -> Objects:
        """A collection. Writes reach every replica before they count, so that any one of them may be read."""
        objects: Objects = self.client.collections.use(name)
        if not replicated:
            return objects
        return objects.with_consistency_level(ConsistencyLevel.ALL if writing else ConsistencyLevel.ONE)

    async def check_grpc(self, objects: Objects) -> None:
        """IndexUnavailable, saying so, if HTTP answers but gRPC does not."""
        try:
            async with asyncio.timeout(self._patience / 2):
                await objects.aggregate.over_all(total_count=True)
        except (WeaviateBaseError, OSError) as error:
            if isinstance(error, InsufficientPermissionsError) or "unauthenticated" in str(error).lower():
                raise self._refused() from error
            message = (
                f"Weaviate answers over HTTP at {self.where.http}, but gRPC at {self.where.grpc} is closed or not "
                "gRPC. Open that port, or name the right one in WEAVIATE_URL: ...?grpc=host:port."
            )
            raise IndexUnavailable(message) from error

    async def ask(self, answer: Awaitable[T], *, seconds: float | None = None) -> T:
        """What is awaited, within `seconds`. The client tries an unreachable server again until then."""
        seconds = self._patience if seconds is None else seconds
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError as error:
            message = (
                f"Weaviate at {self.where.http} did not answer within {seconds:.0f} s. Check that it runs and that "
                f"gRPC at {self.where.grpc} can be reached."
            )
            raise IndexUnavailable(message) from error
        except (AuthenticationFailedError, InsufficientPermissionsError) as error:
            raise self._refused() from error
        except (WeaviateBaseError, httpx.HTTPError, OSError) as error:
            message = f"Weaviate at {self.where.http} failed ({type(error).__name__}). Its own log says more."
            raise IndexUnavailable(message) from error

    async def put(self, objects: Objects, given: Sequence[DataObject[Any, Any]]) -> None:
        """Write objects in place of any with the same id. IndexUnavailable names those that were refused."""
        for start in range(0, len(given), _BATCH):
            batch = given[start : start + _BATCH]
            await self.ask(self._put(objects, batch), seconds=WRITE_SECONDS)

    async def close(self) -> None:
        """Close the connections, and end a program of ours. Calling it again does nothing."""
        await self.client.close()
        if self._program is not None:
            await self._program.stop()

    async def _put(self, objects: Objects, batch: Sequence[DataObject[Any, Any]]) -> None:
        try:
            done = await objects.data.insert_many(batch)
            refused = sorted(done.errors)
        except WeaviateInsertManyAllFailedError:
            refused = list(range(len(batch)))
        if refused:  # told without the server's reason, which may quote the document
            first = ", ".join(str(batch[at].uuid) for at in refused[:5])
            message = (
                f"Weaviate refused {len(refused)} of {len(batch)} objects of {objects.name}: {first}. Its own log says "
                "more; check the space on its disk as well."
            )
            raise IndexUnavailable(message)

    async def _wait_until_ready(self) -> None:
        """A server that has just been started answers before it takes anything in."""
        try:
            async with asyncio.timeout(self._patience), _http() as http:
                url = f"{self.where.http}/v1/.well-known/ready"
                while not (await http.get(url)).is_success:  # noqa: ASYNC110 - another process's state
                    await asyncio.sleep(0.1)
        except TimeoutError as error:
            message = (
                f"Weaviate at {self.where.http} is not ready after {self._patience:.0f} s. Wait until it is, or look "
                "into its own log."
            )
            raise IndexUnavailable(message) from error

    async def _check_version(self) -> None:
        version = str((await self.ask(self.client.get_meta()))["version"])
        numbers = tuple(int(part) for part in version.split("-", maxsplit=1)[0].split(".")[:2])
        if numbers < OLDEST:
            message = (
                f"Weaviate {version} is too old: Citewell needs {'.'.join(map(str, OLDEST))} or newer. Upgrade it."
            )
            raise IndexUnavailable(message)

    async def _closed(self, error: Exception) -> IndexUnavailable:
        """What to say where HTTP did not answer: whether the other port would."""
        if isinstance(error, (AuthenticationFailedError, InsufficientPermissionsError)):
            return self._refused()
        if isinstance(error, UnexpectedStatusCodeError):
            if error.status_code == httpx.codes.UNAUTHORIZED:
                return self._refused()
            return IndexUnavailable(
                f"{self.where.http} answers with {error.status_code}: it is no Weaviate, or not ready."
            )
        grpc = "is open" if await _open(self.where.grpc_host, self.where.grpc_port) else "is closed too"
        return IndexUnavailable(
            f"Weaviate's HTTP at {self.where.http} is closed; gRPC at {self.where.grpc} {grpc}. "
            "Start the server, or mend WEAVIATE_URL."
        )

    def _refused(self) -> IndexUnavailable:
        return IndexUnavailable(
            f"Weaviate at {self.where.http} refuses the key. Set WEAVIATE_API_KEY to one that may read and write."
        )


def _http() -> httpx.AsyncClient:
    """In place of the client's own, which prints errors. Like that, it asks no proxy of the environment."""
    return httpx.AsyncClient(trust_env=False)


async def _open(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(3):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True
