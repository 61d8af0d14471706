"""Microsoft's clouds: where tokens come from, what they have to say, and where replies go.

The public and the US government values are those of the SDK. What the SDK has no values for (the cloud that 21Vianet
runs in China) stands here as Microsoft documents it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

CloudName: TypeAlias = Literal["public", "gcc", "gcch", "dod", "china"]


@dataclass(frozen=True, slots=True)
class Cloud:
    """One of them.

    `login` and `tenant` are where a bot gets its tokens (the tenant of those that belong to several), `scope` what for.
    `issuer` signs what comes in, with keys that `openid` tells. `hosts` are those that replies may go to.
    """

    login: str
    tenant: str
    scope: str
    issuer: str
    openid: str
    hosts: tuple[str, ...]


def cloud(name: CloudName) -> Cloud:
    """The values of a cloud. The SDK is loaded here."""
    return _CLOUDS[name]()


def _public(*hosts: str) -> Cloud:
    from botframework.connector.auth import AuthenticationConstants as Public

    return Cloud(
        login=Public.TO_CHANNEL_FROM_BOT_LOGIN_URL_PREFIX,
        tenant=Public.DEFAULT_CHANNEL_AUTH_TENANT,
        scope=Public.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE,
        issuer=Public.TO_BOT_FROM_CHANNEL_TOKEN_ISSUER,
        openid=Public.TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL,
        hosts=hosts,
    )


def _government(*hosts: str) -> Cloud:
    from botframework.connector.auth import GovernmentConstants as Government

    return Cloud(
        login=Government.TO_CHANNEL_FROM_BOT_LOGIN_URL_PREFIX,
        tenant=Government.DEFAULT_CHANNEL_AUTH_TENANT,
        scope=Government.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE,
        issuer=Government.TO_BOT_FROM_CHANNEL_TOKEN_ISSUER,
        openid=Government.TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL,
        hosts=hosts,
    )


def _china() -> Cloud:
    return Cloud(
        login="https://login.partner.microsoftonline.cn/",
        tenant="microsoftservices.partner.onmschina.cn",
        scope="https://api.botframework.azure.cn",
        issuer="https://api.botframework.azure.cn",
        openid="https://login.botframework.azure.cn/v1/.well-known/openid-configuration",
        hosts=("*.botframework.azure.cn", "*.teams.microsoftonline.cn"),
    )


_CLOUDS: dict[CloudName, Callable[[], Cloud]] = {
    "public": lambda: _public("smba.trafficmanager.net", "*.botframework.com"),
    "gcc": lambda: _public("smba.infra.gcc.teams.microsoft.com", "smba.trafficmanager.net", "*.botframework.com"),
    "gcch": lambda: _government("smba.infra.gov.teams.microsoft.us", "*.botframework.azure.us"),
    "dod": lambda: _government("smba.infra.dod.teams.microsoft.us", "*.botframework.azure.us"),
    "china": _china,
}
