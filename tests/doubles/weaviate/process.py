"""The double as tests hold it: a process to start, to give orders to, and to kill."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from tests.doubles.weaviate.orders import Orders

_ROOT = Path(__file__).parents[3]


class WeaviateDouble:
    """Used as `with`. It starts in about a second, so that tests share one, each with a name of its own there."""

    def __enter__(self) -> WeaviateDouble:
        self._start()
        return self

    def _start(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.doubles.weaviate", *arguments],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # an interrupt from the keyboard is for pytest alone
        )
        assert self._process.stdout is not None
        ports = json.loads(self._process.stdout.readline())
        self.http_port, self.grpc_port = ports["http"], ports["grpc"]

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """As an operator would write it."""
        return f"http://127.0.0.1:{self.http_port}?grpc=127.0.0.1:{self.grpc_port}"

    def kill(self) -> None:
        """Both ports close in the middle of whatever they serve. Calling it again does nothing."""
        self._process.kill()
        self._process.communicate()

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Within, it is killed; behind it another process serves the same objects on the same ports."""
        with TemporaryDirectory() as folder:
            file = str(Path(folder) / "objects")
            self._ask("PUT", "saved", file)
            self.kill()
            try:
                yield
            finally:
                self._start(str(self.http_port), str(self.grpc_port), file)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Within, it takes connections and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def order(self, orders: Orders) -> None:
        """From now on, these alone."""
        self._ask("PUT", "orders", asdict(orders))

    @asynccontextmanager
    async def interrupted(
        self, at: int, call: str | None, work: Callable[[], Coroutine[Any, Any, object]]
    ) -> AsyncIterator[None]:
        """Within, the `at`th call of this name (None: of any) waits until the whole of `work` is done."""
        number = self._ask("POST", "holds", {"at": at, "call": call})
        hold = f"holds/{number}"

        async def run() -> None:
            if await asyncio.to_thread(self._ask, "GET", hold):
                try:
                    await work()
                finally:
                    self._ask("DELETE", hold)

        running = asyncio.create_task(run())
        try:
            yield
        finally:
            self._ask("DELETE", hold)
            await running

    def objects(self, prefix: str) -> dict[str, list[dict[str, Any]]]:
        """What each collection holds whose name begins so."""
        found: dict[str, list[dict[str, Any]]] = self._ask("GET", f"objects/{prefix}")
        return found

    def forget_property(self, collection: str, name: str) -> None:
        """Make a collection one of an earlier version, that has no such property."""
        self._ask("DELETE", f"properties/{collection}/{name}")

    @property
    def refused(self) -> list[str]:
        """Why it refused what it was asked, so far."""
        reasons: list[str] = self._ask("GET", "refused")
        return reasons

    def reset(self) -> None:
        """As new: no orders, no collections."""
        self._ask("DELETE", "everything")

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=60)
        try:
            connection.request(method, f"/double/{path}", None if body is None else json.dumps(body))
            answer = connection.getresponse().read()
        finally:
            connection.close()
        return json.loads(answer) if answer else None
