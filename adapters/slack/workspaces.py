"""The workspace that we are installed in: who we are there, and a client that speaks with its token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.events import Identity


@dataclass(frozen=True, slots=True)
class Workspace:
    """One that we are installed in."""

    me: Identity
    client: AsyncWebClient
