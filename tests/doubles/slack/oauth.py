"""The double's OAuth: who may ask for what, codes that are good once, and tokens that expire and are renewed."""

from __future__ import annotations

import base64
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.doubles.slack.limits import Refused
from tests.doubles.slack.workspace import APP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.doubles.slack.workspace import Workspace


@dataclass(slots=True)
class _Grant:
    workspace: Workspace
    redirect_uri: str
    scope: str


@dataclass(slots=True)
class OAuth:
    """One app that many workspaces may install.

    Whoever comes to authorise agrees at once, for the workspace in `choosing`; with `org_wide`, for its organisation.
    With `lifetime`, tokens are renewed with a refresh token and expire after so many seconds.
    """

    tokens: dict[str, Workspace]
    client_id: str = "111.222"
    client_secret: str = "client-secret-of-the-double"
    redirect_uris: list[str] = field(default_factory=list)
    choosing: Workspace | None = None
    org_wide: bool = False
    agrees: bool = True
    lifetime: int | None = None
    issued: list[str] = field(default_factory=list)
    _codes: dict[str, _Grant] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _refresh: dict[str, tuple[Workspace, bool]] = field(default_factory=dict)
    _expiry: dict[str, float] = field(default_factory=dict)
    _revoked: set[str] = field(default_factory=set)

    def authorize(self, asked: Mapping[str, str]) -> str:
        """The address that the browser is led back to."""
        if asked.get("client_id") != self.client_id:
            raise Refused("invalid_client_id", "no such app")
        if asked.get("redirect_uri") not in self.redirect_uris:
            raise Refused("bad_redirect_uri", "not among those of the app")
        back = {"state": asked.get("state", "")}
        if self.agrees:
            assert self.choosing is not None
            back["code"] = code = f"code-{secrets.token_hex(8)}"
            self._codes[code] = _Grant(self.choosing, asked["redirect_uri"], asked.get("scope", ""))
        else:
            back["error"] = "access_denied"
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def access(self, arguments: Mapping[str, Any], authorization: str) -> dict[str, Any]:
        """`oauth.v2.access`: a code, or a refresh token, for a token."""
        expected = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        if authorization != f"Basic {expected}":
            raise Refused("bad_client_secret", "not this app's")
        if arguments.get("grant_type") == "refresh_token":
            return self._renewed(str(arguments.get("refresh_token")))
        code = str(arguments.get("code"))
        if code in self._used:
            raise Refused("code_already_used", "a code is good once")
        grant = self._codes.pop(code, None)
        if grant is None:
            raise Refused("invalid_code", "there is no such code")
        self._used.add(code)
        if arguments.get("redirect_uri") != grant.redirect_uri:
            raise Refused("bad_redirect_uri", "not the one that was asked with")
        home = grant.workspace
        return {
            "app_id": APP,
            "authed_user": {"id": "U0ADMIN"},
            "scope": grant.scope,
            "bot_user_id": home.bot,
            "team": None if self.org_wide else {"id": home.team, "name": "Clinic"},
            "enterprise": {"id": home.enterprise, "name": "Trust"} if home.enterprise else None,
            "is_enterprise_install": self.org_wide,
            **self._token(home, org_wide=self.org_wide),
        }

    def revoke(self, token: str) -> dict[str, Any]:
        """`auth.revoke`, and what uninstalling does to a token."""
        self._revoked.add(token)
        return {"revoked": True}

    def uninstall(self, workspace: Workspace) -> None:
        """All tokens of a workspace are good for nothing from now on."""
        self._revoked |= {token for token, home in self.tokens.items() if home is workspace}

    def spent(self, token: str) -> str | None:
        """Why a token is good no more; None for one that is."""
        if token in self._revoked:
            return "token_revoked"
        return "token_expired" if self._expiry.get(token, time.time() + 1) <= time.time() else None

    def expire(self, workspace: Workspace) -> None:
        """Its tokens so far are expired."""
        self._expiry |= {token: 0.0 for token, home in self.tokens.items() if home is workspace}

    def _renewed(self, refresh_token: str) -> dict[str, Any]:
        found = self._refresh.pop(refresh_token, None)  # good once
        if found is None:
            raise Refused("invalid_refresh_token", "unknown, or used before")
        home, org_wide = found
        return {"app_id": APP, "bot_user_id": home.bot, "scope": "", **self._token(home, org_wide=org_wide)}

    def _token(self, home: Workspace, *, org_wide: bool) -> dict[str, Any]:
        token = f"xoxb-{home.team}-{secrets.token_hex(8)}"
        self.tokens[token] = home
        self.issued.append(token)
        given: dict[str, Any] = {"access_token": token, "token_type": "bot"}
        if self.lifetime is not None:
            refresh = f"xoxe-1-{secrets.token_hex(8)}"
            self.issued.append(refresh)
            self._refresh[refresh] = home, org_wide
            self._expiry[token] = time.time() + self.lifetime
            given |= {"refresh_token": refresh, "expires_in": self.lifetime}
        return given
