"""Where a Weaviate server is, as operators write it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from retrieval.errors import IndexUnavailable

EMBEDDED = "embedded"
"""What `WEAVIATE_URL` says in place of an address for a program of this machine."""

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

    Without `grpc` it is the same host's port 50051, and in Weaviate's cloud the host that serves gRPC there. What is
    wrong is told without the address, which may hold a key.
    """
    try:
        parts = urlsplit(url)
        secure = {"http": False, "https": True}.get(parts.scheme)
        query = parse_qs(parts.query, keep_blank_values=True)
        host, port = _host_and_port(parts.netloc, usual=443 if secure else 8080)
        named = [_host_and_port(one) for one in query.pop("grpc", ())]
    except ValueError:
        secure = None
    if secure is None:
        message = (
            "The address of a Weaviate server reads http://host:8080, or https://... for one in the cloud; where gRPC "
            "is not on port 50051 of the same host, add ?grpc=host:port. For a program of this machine, WEAVIATE_URL "
            "says embedded."
        )
        raise IndexUnavailable(message)
    if parts.path not in {"", "/"} or parts.fragment or query or len(named) > 1:
        message = (
            "The address of a Weaviate server has no path, and nothing after it but one ?grpc=host:port: "
            "http://host:8080?grpc=host:50051."
        )
        raise IndexUnavailable(message)
    grpc_host, grpc_port = named[0] if named else _usual_grpc(host, secure=secure)
    where = Address(host, port, secure, grpc_host, grpc_port)
    if (where.host, where.port) == (where.grpc_host, where.grpc_port):
        message = (
            f"WEAVIATE_URL names port {where.port} for HTTP and for gRPC. Weaviate has a port for each, "
            "8080 and 50051 if nothing else is set: http://host:8080?grpc=host:50051."
        )
        raise IndexUnavailable(message)
    return where


def _host_and_port(text: str, usual: int | None = None) -> tuple[str, int]:
    """ValueError where it is something else or more, IndexUnavailable where a name or a key stands in it."""
    parts = urlsplit(f"//{text}")
    if "@" in parts.netloc:
        message = "The address of a Weaviate server holds no name and no key: set the key as WEAVIATE_API_KEY."
        raise IndexUnavailable(message)
    port = parts.port or usual
    if parts.netloc != text or parts.hostname is None or port is None:
        raise ValueError(text)
    return parts.hostname, port


def _usual_grpc(host: str, *, secure: bool) -> tuple[str, int]:
    if secure and host.endswith(_CLOUD):
        first, domain = host.split(".", 1)
        return (f"{first}.grpc.{domain}" if host.endswith(_CLOUD[0]) else f"grpc-{host}"), 443
    return host, 50051
