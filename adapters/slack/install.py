"""Installing by OAuth: `/slack/install` leads to Slack, which leads back with a code that is changed for a token."""

from __future__ import annotations

import hmac
import logging
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urljoin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from slack_sdk.oauth.installation_store.models.bot import Bot

from adapters.slack.credentials import SCOPES
from adapters.slack.errors import mapped
from adapters.slack.pages import page
from bot.errors import CitewellError, Permanent
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.credentials import AppCredentials
    from adapters.slack.installations import Installations
    from adapters.slack.installed import InstalledWorkspaces
    from bot.wording.surfaces import InstallWords

_LOG = logging.getLogger(__name__)
_GIVEN = re.compile(r"[A-Za-z0-9._~-]{1,512}")


class Limit:
    """Lets `most` through in `seconds`, on an even pace with bursts up to that."""

    def __init__(self, clock: Callable[[], float], *, most: int = 30, seconds: float = 60) -> None:
        self._clock = clock
        self._most = most
        self._pace = most / seconds
        self._left = float(most)
        self._at = clock()

    def passes(self) -> bool:
        """Whether one more may pass now."""
        now = self._clock()
        self._left = min(self._most, self._left + (now - self._at) * self._pace)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class _Id(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = Field(min_length=1)
    name: str | None = None


class _Granted(BaseModel):
    """What `oauth.v2.access` gives for a code."""

    model_config = ConfigDict(extra="ignore")

    access_token: str = Field(min_length=1)
    app_id: str = Field(min_length=1)
    bot_user_id: str = Field(min_length=1)
    scope: str = ""
    team: _Id | None = None
    enterprise: _Id | None = None
    is_enterprise_install: bool = False
    refresh_token: str | None = None
    expires_in: int | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(one.id for one in (self.team, self.enterprise) if one is not None)


class Installer:
    """The two pages. A state is good for ten minutes, once, and in the browser that asked for it.

    `client` speaks for nobody: it changes codes for tokens. `limit` bounds what strangers may ask for.
    """

    def __init__(
        self,
        app: AppCredentials,
        *,
        client: AsyncWebClient,
        client_for: Callable[[str], AsyncWebClient],
        installations: Installations,
        workspaces: InstalledWorkspaces,
        words: InstallWords,
        limit: Limit,
    ) -> None:
        self._app = app
        self._client = client
        self._client_for = client_for
        self._installations = installations
        self._workspaces = workspaces
        self._words = words
        self._limit = limit
        self._secure = app.public_url.startswith("https://")
        self._cookie = "__Host-citewell-install" if self._secure else "citewell-install"

    @property
    def url(self) -> str:
        """Where people begin."""
        return self._app.install_url

    async def install(self, _: web.Request) -> web.Response:
        """Answer GET /slack/install with the way to Slack. Nothing of the request is read."""
        if not self._limit.passes():
            return page(self._words.busy, status=429)
        try:
            state = await self._installations.issue()
        except MemoryUnavailable as error:
            _LOG.error("nobody can install: %s", error)
            return page(self._words.broken, status=503)
        asked = {
            "client_id": self._app.client_id,
            "scope": ",".join(SCOPES),
            "redirect_uri": self._app.redirect_uri,
            "state": state,
        }
        address = f"{urljoin(self._client.base_url, '/oauth/v2/authorize')}?{urlencode(asked)}"
        shown = page(self._words.start, link=(self._words.add, address))
        shown.set_cookie(self._cookie, state, path="/", max_age=600, secure=self._secure, httponly=True, samesite="Lax")
        return shown

    async def redirected(self, request: web.Request) -> web.Response:
        """Answer GET /slack/oauth_redirect, where Slack sends whoever has agreed, or has not."""
        if not self._limit.passes():
            return page(self._words.busy, status=429)
        state, code = _one(request, "state"), _one(request, "code")
        try:
            if not state or not self._same_browser(request, state) or not await self._installations.consume(state):
                return page(self._words.stale, status=400)
            if code is None:
                return page(self._words.cancelled if "error" in request.query else self._words.stale, status=400)
            granted = await self._granted(code)
            if not self._workspaces.allows(*granted.ids):
                return await self._turned_away(granted)
            await self._workspaces.install(await self._bot(granted))
        except (CitewellError, MemoryUnavailable) as error:
            _LOG.error("an installation failed: %s", error)
            return page(self._words.broken, status=502 if isinstance(error, CitewellError) else 503)
        _LOG.warning("installed in %s", " of ".join(granted.ids))
        return page(self._words.done)

    def _same_browser(self, request: web.Request, state: str) -> bool:
        return hmac.compare_digest(request.cookies.get(self._cookie, "").encode(), state.encode())

    async def _granted(self, code: str) -> _Granted:
        with mapped("oauth.v2.access"):
            response = await self._client.oauth_v2_access(
                client_id=self._app.client_id,
                client_secret=self._app.client_secret,
                code=code,
                redirect_uri=self._app.redirect_uri,
            )
        try:
            granted = _Granted.model_validate(response.data)
        except ValidationError:
            raise Permanent("oauth.v2.access: Slack's answer is not in the form that is expected") from None
        if not granted.ids or (granted.is_enterprise_install and granted.enterprise is None):
            raise Permanent("oauth.v2.access: Slack names no workspace")
        return granted

    async def _bot(self, granted: _Granted) -> Bot:
        """As the SDK stores it. Who the bot is only `auth.test` says."""
        client = self._client_for(granted.access_token)
        with mapped("auth.test"):
            me = await client.auth_test()
        org_wide = granted.is_enterprise_install
        return Bot(
            app_id=granted.app_id,
            enterprise_id=granted.enterprise.id if granted.enterprise else None,
            team_id=granted.team.id if granted.team and not org_wide else None,
            bot_token=granted.access_token,
            bot_id=str(me.get("bot_id") or ""),
            bot_user_id=granted.bot_user_id,
            bot_scopes=granted.scope,
            bot_refresh_token=granted.refresh_token,
            bot_token_expires_in=granted.expires_in,
            is_enterprise_install=org_wide,
            installed_at=0.0,
        )

    async def _turned_away(self, granted: _Granted) -> web.Response:
        """Give the token back at once: it is of a workspace that is not on the operator's list."""
        _LOG.warning("not installed in %s, which CITEWELL_SLACK_TEAMS does not name", " of ".join(granted.ids))
        client = self._client_for(granted.access_token)
        with mapped("auth.revoke"):
            await client.auth_revoke()
        return page(self._words.not_listed, status=403)


def _one(request: web.Request, name: str) -> str | None:
    """A parameter that stands there once and in the form that Slack gives it."""
    given = request.query.getall(name, [])
    return given[0] if len(given) == 1 and _GIVEN.fullmatch(given[0]) else None
