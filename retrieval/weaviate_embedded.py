"""Weaviate as a program that Citewell runs beside itself, where one is on this machine; none is ever downloaded."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from weaviate.embedded import WEAVIATE_VERSION, EmbeddedOptions, EmbeddedV4
from weaviate.exceptions import WeaviateStartUpError

from retrieval.errors import IndexUnavailable

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


@dataclass(frozen=True, slots=True)
class Programs:
    """Where programs are kept, and on which ports one runs; unless told otherwise, as the client has it."""

    folder: Path = field(default_factory=lambda: Path(EmbeddedOptions().binary_path))
    http_port: int = 8079
    grpc_port: int = 50060

    @property
    def url(self) -> str:
        """Where one listens, as an operator would write it."""
        return f"http://127.0.0.1:{self.http_port}?grpc=127.0.0.1:{self.grpc_port}"

    def newest(self) -> str | None:
        """The newest version of which there is a program under the name that the client looks for."""
        found = [named["version"] for path in self.folder.glob("weaviate-v*") if (named := _NAMED.fullmatch(path.name))]
        there = [version for version in found if (self.folder / program_name(version)).is_file()]
        return max(there, key=lambda version: [int(part) for part in version.split(".")], default=None)


class Embedded:
    """What weaviate-client's `connect_to_embedded` runs, as a server to connect to.

    That function itself would download the program, ask a package registry for news of itself, and block the event
    loop while the program starts.
    """

    def __init__(self, program: EmbeddedV4, url: str, api_key: str) -> None:
        self._program = program
        self.url = url
        self.api_key = api_key

    @classmethod
    async def start(cls, data: Path, api_key: str | None, programs: Programs | None = None) -> Embedded:
        """Run the newest of the client's programs, or of these, on the objects in `data`.

        It asks for `api_key`, or for one that only we know. IndexUnavailable if there is no program, if its ports are
        taken, or if it does not open them within 30 seconds.
        """
        key = api_key or secrets.token_urlsafe(32)
        programs = programs or Programs()
        return cls(await asyncio.to_thread(_started, data, key, programs), programs.url, key)

    async def stop(self) -> None:
        """End the program, and wait until it has ended. Calling it again does nothing."""
        await asyncio.to_thread(self._program.stop)


def program_name(version: str) -> str:
    """What the client calls the program of a version."""
    return f"weaviate-v{version}-{hashlib.sha256(f'v{version}'.encode()).hexdigest()}"


def _started(data: Path, key: str, programs: Programs) -> EmbeddedV4:
    version = programs.newest()
    if version is None:
        message = (
            f"WEAVIATE_URL=embedded runs a Weaviate program that is on this machine, and {programs.folder} holds none. "
            f"Put it there under the name {program_name(WEAVIATE_VERSION)} (Citewell downloads nothing; "
            '`python -c "import weaviate; weaviate.connect_to_embedded().close()"` does), or name a server.'
        )
        raise IndexUnavailable(message)
    options = EmbeddedOptions(
        persistence_data_path=str(data.absolute()),
        binary_path=str(programs.folder),
        version=version,
        port=programs.http_port,
        grpc_port=programs.grpc_port,
        additional_env_vars=_ENVIRONMENT
        | {"AUTHENTICATION_APIKEY_ALLOWED_KEYS": key, "CLUSTER_BASIC_AUTH_PASSWORD": key},
    )
    program = EmbeddedV4(options)
    try:
        program.start()
    except WeaviateStartUpError as error:
        program.stop()
        message = (
            f"Weaviate {version} could not be started on ports {programs.http_port} and {programs.grpc_port}. "
            "If another Citewell runs it already, give both the same WEAVIATE_API_KEY and this one "
            f"WEAVIATE_URL={programs.url}."
        )
        raise IndexUnavailable(message) from error
    except OSError as error:
        message = f"{programs.folder / program_name(version)} cannot be run ({error.strerror}): make it an executable."
        raise IndexUnavailable(message) from error
    return program
