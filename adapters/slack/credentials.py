"""The app as Slack knows it, where it may be installed in many workspaces."""

from __future__ import annotations

from dataclasses import dataclass, field

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:write",
    "mpim:history",
    "mpim:read",
    "users:read",
)
"""What people are asked to agree to: the bot's scopes in manifest.yml."""


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """The app's id and secret, and `public_url`, our own address without a slash at its end."""

    client_id: str
    client_secret: str = field(repr=False)
    public_url: str

    @property
    def install_url(self) -> str:
        """Where people begin."""
        return f"{self.public_url}{INSTALL_PATH}"

    @property
    def redirect_uri(self) -> str:
        """Where Slack leads back to, and nowhere else."""
        return f"{self.public_url}{REDIRECT_PATH}"
