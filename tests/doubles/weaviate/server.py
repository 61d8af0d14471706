"""The double's two ports, in the process that serves them."""

from __future__ import annotations

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
from weaviate.proto.v1.v6300.v1 import weaviate_pb2_grpc

from tests.doubles.weaviate.orders import Hold, Orders
from tests.doubles.weaviate.service import Service, health
from tests.doubles.weaviate.store import Refused, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_AT_ONCE = 8


class Server:
    """Serves from `start` to the end of its process. HTTP paths below `/double` are the test's, the rest Weaviate's."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._reset()

    def start(self, http_port: int = 0, grpc_port: int = 0) -> dict[str, int]:
        """Open both ports, any that are free if none are named, and say which they are."""
        http = ThreadingHTTPServer(("127.0.0.1", http_port), _handler(self))
        threading.Thread(target=http.serve_forever, daemon=True).start()
        self._grpc = grpc.server(ThreadPoolExecutor(_AT_ONCE))
        register: Callable[..., None] = weaviate_pb2_grpc.add_WeaviateServicer_to_server
        register(Service(self), self._grpc)
        check = grpc.method_handlers_generic_handler(
            "grpc.health.v1.Health", {"Check": grpc.unary_unary_rpc_method_handler(health)}
        )
        self._grpc.add_generic_rpc_handlers((check,))
        grpc_port = self._grpc.add_insecure_port(f"127.0.0.1:{grpc_port}")
        self._grpc.start()
        return {"http": http.server_address[1], "grpc": grpc_port}

    def load(self, file: Path) -> None:
        """Begin with the objects that another process saved there."""
        self.store = pickle.loads(file.read_bytes())

    def check_object(self, properties: Mapping[str, Any]) -> None:
        refusal = self.orders.refusal
        if refusal is not None and properties.get(refusal.property) == refusal.value:
            raise Refused(refusal.reason)

    @contextmanager
    def call(self, name: str, context: grpc.ServicerContext) -> Iterator[Store]:
        """One gRPC call, alone with the store."""
        sent = dict(context.invocation_metadata()).get("authorization")
        if not self._knows(sent):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "unauthorized: invalid api key")
        if self.orders.failing:
            context.abort(grpc.StatusCode.INTERNAL, "told to fail")
        for hold in self.holds:
            hold.passing(name)
        with self._lock:
            yield self.store

    def answer(self, method: str, path: str, key: str | None, body: Any) -> tuple[int, Any]:
        """One HTTP request."""
        match path.split("/")[1:]:
            case ["double", *rest]:
                return 200, self._obey(method, rest, body)
            case ["v1", ".well-known", "ready"]:
                return 200 if self.orders.ready else 503, None
            case ["v1", *rest] if self._knows(key):
                with self._lock:
                    return self._weaviate(method, rest, body)
            case ["v1", *_]:
                return 401, {"code": 401, "message": "unauthorized: invalid api key"}
        return 404, None

    def _weaviate(self, method: str, path: list[str], body: Any) -> tuple[int, Any]:
        match method, path:
            case "GET", ["meta"]:
                return 200, {"hostname": "http://[::]:8080", "modules": {}, "version": self.orders.version}
            case "GET", ["schema"]:
                return 200, {"classes": [one.config for one in self.store.collections.values()]}
            case "POST", ["schema"]:
                try:
                    return 200, self.store.create(body, self.orders.replicas, self.orders.nodes)
                except Refused as error:
                    self.refused.append(str(error))
                    return 422, {"error": [{"message": str(error)}]}
            case "GET", ["schema", name] if name in self.store.collections:
                return 200, self.store.collections[name].config
            case "POST", ["schema", name, "properties"] if name in self.store.collections:
                return 200, self.store.add_property(name, body)
            case "GET", ["nodes", name]:
                return 200, {"nodes": [_node(number, name.partition("?")[0]) for number in range(self.orders.nodes)]}
            case "DELETE", ["schema", name]:
                self.store.collections.pop(name, None)
                return 200, None
        return 404, None

    def _obey(self, method: str, path: list[str], body: Any) -> Any:
        match method, path:
            case "PUT", ["orders"]:
                self.orders = Orders.read(body)
                return asdict(self.orders)
            case "POST", ["holds"]:
                self.holds.append(Hold(**body))
                return len(self.holds) - 1
            case "GET", ["holds", number]:
                return self.holds[int(number)].wait()
            case "DELETE", ["holds", number]:
                return self.holds[int(number)].let_go()
            case "GET", ["refused"]:
                return self.refused
            case "GET", ["objects", prefix]:
                with self._lock:
                    there = self.store.collections.values()
                    return {
                        one.name: [stored.properties for stored in one.objects.values()]
                        for one in there
                        if one.name.startswith(prefix)
                    }
            case "DELETE", ["properties", collection, name]:
                with self._lock:
                    return self.store.get(collection).forget_property(name)
            case "PUT", ["saved"]:
                with self._lock:
                    return Path(body).write_bytes(pickle.dumps(self.store))
            case "DELETE", ["everything"]:
                for hold in self.holds:
                    hold.let_go()
                return self._reset()
        msg = f"no order {method} {path}"
        raise ValueError(msg)

    def _knows(self, key: str | None) -> bool:
        return self.orders.key is None or key == f"Bearer {self.orders.key}"

    def _reset(self) -> None:
        with self._lock:
            self.store = Store()
            self.refused: list[str] = []
            self.holds: list[Hold] = []
            self.orders = Orders()


def _node(number: int, collection: str) -> dict[str, Any]:
    """A node that answers, as the server tells of it; it holds all of the collection, told here as one shard."""
    shard = {"class": collection, "name": "shard", "objectCount": 0, "compressed": False, "loaded": True}
    shard |= {"vectorIndexingStatus": "READY", "vectorQueueLength": 0}
    return {"name": f"node{number}", "status": "HEALTHY", "shards": [shard]}


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer in one packet: in two, the second waits for the first one's receipt

        def _answer(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, value = server.answer(self.command, self.path, self.headers.get("authorization"), body)
            data = b"" if value is None else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - the base class's names

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
