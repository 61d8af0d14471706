"""Where a Weaviate server is, as operators write it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from retrieval.errors import IndexUnavailable

_CLOUD = (".weaviate.network", ".weaviate.cloud", ".weaviate.io", ".semi.technology")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server's two ports are."""

    host: str
    port: int
    secure: bool
    grpc_host: str
    grpc_port: int

    @property
    def http(self) -> str:
        """As operators write it."""
        return f"{'https' if self.secure else 'http'}://{self.host}:{self.port}"

    @property
    def grpc(self) -> str:
        """As operators write it."""
        return f"{self.grpc_host}:{self.grpc_port}"


def address(url: str) -> Address:
    """Read `http://host:8080`, `https://….weaviate.cloud` or `…?grpc=host:port`. IndexUnavailable if it is neither.

    Without `grpc` it is the same host's port 50051, and in Weaviate's cloud the host that serves gRPC there.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        named = urlsplit(f"//{parse_qs(parts.query)['grpc'][0]}") if "grpc=" in parts.query else None
        grpc_host, grpc_port = (named.hostname, named.port) if named else (None, None)
    except (ValueError, KeyError):
        host = None
    if host is None or parts.scheme not in {"http", "https"} or (named is not None and grpc_port is None):
        message = (
            "WEAVIATE_URL is not the address of a Weaviate server. It reads http://host:8080, https://... for one in "
            "the cloud, or embedded; where gRPC is not on port 50051 of the same host, add ?grpc=host:port."
        )
        raise IndexUnavailable(message)
    secure = parts.scheme == "https"
    if grpc_host is None or grpc_port is None:
        grpc_host, grpc_port = _usual_grpc(host, secure=secure)
    where = Address(host, port or (443 if secure else 8080), secure, grpc_host, grpc_port)
    if (where.host, where.port) == (where.grpc_host, where.grpc_port):
        message = (
            f"WEAVIATE_URL names port {where.port} for HTTP and for gRPC. Weaviate has a port for each, "
            "8080 and 50051 if nothing else is set: http://host:8080?grpc=host:50051."
        )
        raise IndexUnavailable(message)
    return where


def _usual_grpc(host: str, *, secure: bool) -> tuple[str, int]:
    if secure and host.endswith(_CLOUD):
        first, domain = host.split(".", 1)
        return (f"{first}.grpc.{domain}" if host.endswith(_CLOUD[0]) else f"grpc-{host}"), 443
    return host, 50051
