"""The double's two ports."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import grpc
from weaviate.proto.v1.v6300.v1 import weaviate_pb2_grpc

from tests.doubles.weaviate.service import Service, health
from tests.doubles.weaviate.store import Refused, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

VERSION = "1.38.11"

_ENDED: list[grpc.Server] = []
"""Stopped servers, kept to the end of the process: one that is freed while a thread of it still polls brings it down."""


class WeaviateDouble:
    """Used as `with`. `key` makes it ask for one; `grpc_open` False leaves that port closed.

    `refuse_object` may name, for an object of a collection, a reason to refuse it, as a server does that is short of
    memory or disk. `on_call` runs before each gRPC call, given its name, and before each object of a batch ("Object"),
    in a thread of the server; other calls are served meanwhile.
    """

    def __init__(self, *, key: str | None = None, grpc_open: bool = True, version: str = VERSION) -> None:
        self.key = key
        self.version = version
        self.store = Store()
        self.refused: list[str] = []
        self.refuse_object: Callable[[str, Mapping[str, Any]], str | None] = lambda collection, properties: None
        self.on_call: Callable[[str], None] = lambda name: None
        self._grpc_open = grpc_open
        self._lock = threading.RLock()
        self._grpc: grpc.Server | None = None
        self._stopped = False

    def __enter__(self) -> WeaviateDouble:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        if not self._grpc_open:
            with socket.socket() as unused:  # a server of grpc's that never started must not be stopped: it crashes
                unused.bind(("127.0.0.1", 0))
                self.grpc_port = unused.getsockname()[1]
            return self
        server = grpc.server(ThreadPoolExecutor(4))
        register: Callable[..., None] = weaviate_pb2_grpc.add_WeaviateServicer_to_server
        register(Service(self), server)
        check = grpc.method_handlers_generic_handler(
            "grpc.health.v1.Health", {"Check": grpc.unary_unary_rpc_method_handler(health)}
        )
        server.add_generic_rpc_handlers((check,))
        self.grpc_port = server.add_insecure_port("127.0.0.1:0")
        self._grpc = server
        server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def http_port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """As an operator would write it."""
        return f"http://127.0.0.1:{self.http_port}?grpc=127.0.0.1:{self.grpc_port}"

    def stop(self) -> None:
        """Close both ports. Calling it again does nothing."""
        if self._stopped:
            return
        self._stopped = True
        self._http.shutdown()
        self._http.server_close()
        if self._grpc is not None:
            self._grpc.stop(None).wait()
            _ENDED.append(self._grpc)

    def check_object(self, collection: str, properties: Mapping[str, Any]) -> None:
        if (reason := self.refuse_object(collection, properties)) is not None:
            raise Refused(reason)

    @contextmanager
    def call(self, name: str, context: grpc.ServicerContext) -> Iterator[Store]:
        """One gRPC call, alone with the store."""
        sent = dict(context.invocation_metadata()).get("authorization")
        if self.key is not None and sent != f"Bearer {self.key}":
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "unauthorized: invalid api key")
        self.on_call(name)
        with self._lock:
            yield self.store

    def answer(self, method: str, path: str, key: str | None, body: Any) -> tuple[int, Any]:
        """One HTTP request."""
        if self.key is not None and key != f"Bearer {self.key}":
            return 401, {"code": 401, "message": "unauthorized: invalid api key"}
        with self._lock:
            match method, path.split("/")[2:]:
                case "GET", ["meta"]:
                    return 200, {"hostname": "http://[::]:8080", "modules": {}, "version": self.version}
                case "GET", ["schema"]:
                    return 200, {"classes": [one.config for one in self.store.collections.values()]}
                case "POST", ["schema"]:
                    try:
                        return 200, self.store.create(body)
                    except Refused as error:
                        self.refused.append(str(error))
                        return 422, {"error": [{"message": str(error)}]}
                case "GET", ["schema", name] if name in self.store.collections:
                    return 200, self.store.collections[name].config
                case "DELETE", ["schema", name]:
                    self.store.collections.pop(name, None)
                    return 200, None
        return 404, None


def _handler(double: WeaviateDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, value = double.answer(self.command, self.path, self.headers.get("authorization"), body)
            data = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815 - the base class's names

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
