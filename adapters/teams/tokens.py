"""The tokens that replies go out with, from the SDK's credentials. These block, so they have a thread of their own."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from bot.errors import Misconfigured, Transient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from adapters.teams.clouds import Cloud

_KEPT = 300.0


class Credentials(Protocol):
    """As the SDK has them: blocking."""

    def get_access_token(self, force_refresh: bool = False) -> str:
        """A token that is good now."""
        ...


class Tokens:
    """Tokens, each used for five minutes at most. Close it."""

    def __init__(
        self, credentials: Credentials, *, patience: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._credentials = credentials
        self._patience = patience
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, "teams-tokens")
        self._asking = asyncio.Lock()
        self._kept: tuple[float, str] | None = None

    async def __call__(self) -> str:
        """One that is good now. Raises `Transient`, or `Misconfigured` where Microsoft refuses the credentials."""
        async with self._asking:
            if self._kept is None or self._kept[0] <= self._clock():
                self._kept = (self._clock() + _KEPT, await self._ask())
            return self._kept[1]

    def drop(self) -> None:
        """The last one was refused: ask for another next time."""
        self._kept = None

    def close(self) -> None:
        """Let go of the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _ask(self) -> str:
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.get_running_loop().run_in_executor(
                    self._thread, self._credentials.get_access_token
                )
        except PermissionError as error:
            raise Misconfigured(
                "Microsoft gives no token for this bot: check TEAMS_APP_ID, its password or certificate, and "
                "TEAMS_TENANT_ID"
            ) from error
        except (KeyError, ValueError) as error:
            raise Misconfigured(f"no token can be asked for with these credentials ({type(error).__name__})") from error
        except (OSError, TimeoutError) as error:  # of requests, too
            raise Transient(f"no answer from Microsoft's login ({type(error).__name__})") from error


def with_password(cloud: Cloud, app_id: str, password: str, tenant: str | None) -> Credentials:
    """A client secret. Blocking: the SDK is loaded."""
    from botframework.connector.auth import MicrosoftAppCredentials

    credentials = MicrosoftAppCredentials(app_id, password, tenant or cloud.tenant, cloud.scope)
    credentials.oauth_endpoint = cloud.login + credentials.tenant
    return credentials  # type: ignore[no-any-return]  # the SDK has no types


def with_certificate(cloud: Cloud, app_id: str, file: Path, tenant: str | None) -> Credentials:
    """A certificate and its key in one PEM file. Blocking. Raises `Misconfigured` where they cannot be read."""
    from botframework.connector.auth import CertificateAppCredentials
    from cryptography.hazmat.primitives.hashes import SHA1
    from cryptography.x509 import load_pem_x509_certificate

    try:
        pem = file.read_bytes()
        thumbprint = load_pem_x509_certificate(pem).fingerprint(SHA1()).hex()  # noqa: S303 - the thumbprint's own hash
    except (OSError, ValueError) as error:
        raise Misconfigured(
            f"TEAMS_CERTIFICATE_FILE: {file} holds no certificate that can be read: put the certificate and its "
            "private key into it, both as PEM"
        ) from error
    credentials = CertificateAppCredentials(app_id, thumbprint, pem.decode(), tenant or cloud.tenant, cloud.scope)
    credentials.oauth_endpoint = cloud.login + credentials.tenant
    return credentials  # type: ignore[no-any-return]  # the SDK has no types


def of_managed_identity(cloud: Cloud, app_id: str) -> Credentials:
    """The identity of the machine that this runs on, in Azure. Blocking."""
    from botframework.connector.auth import ManagedIdentityAppCredentials

    return ManagedIdentityAppCredentials(app_id, cloud.scope)  # type: ignore[no-any-return]  # the SDK has no types
