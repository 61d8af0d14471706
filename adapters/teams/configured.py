"""Whether the settings ask for Teams, and what is refused at the start: told without loading what serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.teams.hosts import is_loopback
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from adapters.settings import Settings

_NO_ID = (
    "TEAMS_APP_ID is empty, so anyone could speak for Teams. Set it to the bot's app id; docs/teams.md tells where it "
    "stands. To try it on this machine alone: citewell serve --local."
)
_LOCAL_ONLY = "--local answers whoever asks, so it listens on this machine alone: set CITEWELL_HOST=127.0.0.1."
_NO_TENANT = "TEAMS_TENANT_ID is missing: set it to your organisation's tenant, whose people are members."
_NO_PROOF = (
    "Teams needs TEAMS_APP_PASSWORD (a client secret), TEAMS_CERTIFICATE_FILE, or TEAMS_APP_TYPE=UserAssignedMSI: set "
    "one of them."
)


def configured(settings: Settings, *, local: bool) -> bool:
    """Whether Teams is to be served. Raises `Misconfigured` for half a set-up, and says what is missing."""
    if local and not is_loopback(settings.host):
        raise Misconfigured(_LOCAL_ONLY)
    if not settings.teams_app_id:
        if not local and (settings.teams_app_password or settings.teams_certificate_file or settings.teams_tenant_id):
            raise Misconfigured(_NO_ID)
        return local
    if settings.teams_tenant_id is None:
        raise Misconfigured(_NO_TENANT)
    secret = settings.teams_app_password or settings.teams_certificate_file
    if secret is None and settings.teams_app_type != "UserAssignedMSI":
        raise Misconfigured(_NO_PROOF)
    return True
