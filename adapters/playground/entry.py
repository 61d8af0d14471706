"""Who may use the page: this machine at once, others with the token, and no other page on anybody's behalf."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from aiohttp import web

from adapters.web_access import may_look

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

COOKIE = "citewell"
_LONGEST = 12 * 3600
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Entry:
    """Sessions live in memory: they end with the process. Without a `token`, nobody comes in from elsewhere."""

    def __init__(self, token: str | None) -> None:
        self._token = token
        self._sessions: set[str] = set()

    def open_to(self, request: web.Request) -> bool:
        """Whether this request may see the page."""
        if may_look(request, self._token):
            return True
        given = request.cookies.get(COOKIE, "")
        return any(hmac.compare_digest(given.encode(), one.encode()) for one in self._sessions)

    def log_in(self, request: web.Request, given: str) -> web.Response | None:
        """A response with a session, or None where the token is not the one."""
        if not self._token or not hmac.compare_digest(given.encode(), self._token.encode()):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions.add(session)
        response = web.Response(status=303, headers={"Location": "/playground/"})
        secure = request.secure or request.headers.get("X-Forwarded-Proto", "").casefold() == "https"
        response.set_cookie(
            COOKIE, session, max_age=_LONGEST, path="/playground", httponly=True, samesite="Strict", secure=secure
        )
        return response

    @web.middleware
    async def guarding(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Keep out who may not come in, and calls that the page itself did not make; no answer runs or loads a thing
        that is not ours.
        """
        try:
            response = await self._let_in(request, handler)
        except web.HTTPException as error:
            error.headers.update(_HEADERS)
            raise
        response.headers.update(_HEADERS)
        return response

    async def _let_in(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.path.endswith("/login"):
            return await handler(request)
        if not self.open_to(request):
            if request.method == "GET" and "/api/" not in request.path:
                raise web.HTTPSeeOther("/playground/login")
            raise web.HTTPForbidden(text="Log in first, or open the page on the machine itself.")
        if "/api/" in request.path and not _from_the_page(request):
            raise web.HTTPForbidden(text="Only the page itself may call this.")
        return await handler(request)


def _from_the_page(request: web.Request) -> bool:
    """A header that no other page can send without asking first, which is refused; and what the browser itself says."""
    return request.headers.get("X-Citewell") == "page" and request.headers.get("Sec-Fetch-Site", "same-origin") in {
        "same-origin",
        "none",
    }
