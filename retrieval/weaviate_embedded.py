"""Weaviate as a program that Citewell runs beside itself, where one is on this machine; none is ever downloaded."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from pathlib import Path

from weaviate.embedded import WEAVIATE_VERSION, EmbeddedOptions, EmbeddedV4
from weaviate.exceptions import WeaviateStartUpError

from retrieval.errors import IndexUnavailable

PORTS = (8079, 50060)
"""HTTP and gRPC, as the client has them for a program of its own."""

_NAMED = re.compile(r"weaviate-v(?P<version>\d+\.\d+\.\d+)-[0-9a-f]{64}")
_ENVIRONMENT = {
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
    "AUTHENTICATION_APIKEY_ENABLED": "true",
    "AUTHENTICATION_APIKEY_USERS": "citewell",
    "AUTOSCHEMA_ENABLED": "false",
    "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
    "CLUSTER_BASIC_AUTH_USERNAME": "citewell",
    "CLUSTER_BIND_ADDR": "127.0.0.1",
    "DEFAULT_VECTORIZER_MODULE": "none",
    "DISABLE_TELEMETRY": "true",
    "ENABLE_MODULES": "",
    "GO_PROFILING_DISABLE": "true",
    "LOG_LEVEL": "error",
}
"""Two of its ports listen on every address of the machine, whatever it is told; so both always ask for a key."""


class Embedded:
    """What weaviate-client's `connect_to_embedded` runs, as a server to connect to.

    That function itself would download the program, ask a package registry for news of itself, and block the event
    loop while the program starts.
    """

    def __init__(self, program: EmbeddedV4, api_key: str) -> None:
        self._program = program
        self.api_key = api_key

    @classmethod
    async def start(cls, data: Path, api_key: str | None) -> Embedded:
        """Run the newest program there is, on the objects in `data`; it asks for `api_key`, or one that only we know.

        IndexUnavailable if there is no program, if its ports are taken, or if it does not open them within 30 seconds.
        """
        key = api_key or secrets.token_urlsafe(32)
        return cls(await asyncio.to_thread(_started, data, key), key)

    @property
    def url(self) -> str:
        """Where it listens, as an operator would write it."""
        options = self._program.options
        return _url(options.port, options.grpc_port)

    async def stop(self) -> None:
        """End the program, and wait until it has ended. Calling it again does nothing."""
        await asyncio.to_thread(self._program.stop)


def folder() -> Path:
    """Where the client keeps programs."""
    return Path(EmbeddedOptions().binary_path)


def program_name(version: str) -> str:
    """What the client calls the program of a version."""
    return f"weaviate-v{version}-{hashlib.sha256(f'v{version}'.encode()).hexdigest()}"


def newest() -> str | None:
    """The newest version of which there is a program under the name that the client looks for."""
    kept = folder()
    found = [named["version"] for path in kept.glob("weaviate-v*") if (named := _NAMED.fullmatch(path.name))]
    there = [version for version in found if (kept / program_name(version)).is_file()]
    return max(there, key=lambda version: [int(part) for part in version.split(".")], default=None)


def _started(data: Path, key: str) -> EmbeddedV4:
    version = newest()
    if version is None:
        message = (
            f"WEAVIATE_URL=embedded runs a Weaviate program that is on this machine, and {folder()} holds none. Put it "
            f"there under the name {program_name(WEAVIATE_VERSION)} (Citewell downloads nothing; "
            '`python -c "import weaviate; weaviate.connect_to_embedded().close()"` does), or name a server.'
        )
        raise IndexUnavailable(message)
    options = EmbeddedOptions(
        persistence_data_path=str(data.absolute()),
        binary_path=str(folder()),
        version=version,
        port=PORTS[0],
        grpc_port=PORTS[1],
        additional_env_vars=_ENVIRONMENT
        | {"AUTHENTICATION_APIKEY_ALLOWED_KEYS": key, "CLUSTER_BASIC_AUTH_PASSWORD": key},
    )
    program = EmbeddedV4(options)
    try:
        program.start()
    except WeaviateStartUpError as error:
        program.stop()
        message = (
            f"Weaviate {version} could not be started on ports {PORTS[0]} and {PORTS[1]}. If another Citewell runs it "
            f"already, give both the same WEAVIATE_API_KEY and this one WEAVIATE_URL={_url(*PORTS)}."
        )
        raise IndexUnavailable(message) from error
    except OSError as error:
        message = f"{folder() / program_name(version)} cannot be run ({error.strerror}): make it an executable."
        raise IndexUnavailable(message) from error
    return program


def _url(http_port: int, grpc_port: int) -> str:
    return f"http://127.0.0.1:{http_port}?grpc=127.0.0.1:{grpc_port}"
