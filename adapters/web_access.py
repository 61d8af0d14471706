"""Who may look in by HTTP: this machine itself, and elsewhere whoever has the token."""

from __future__ import annotations

import hmac
import ipaddress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
_LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def may_look(request: web.Request, token: str | None) -> bool:
    """Whether the request comes from this machine, or carries the token as `Authorization: Bearer`."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token and hmac.compare_digest(given.encode(), token.encode()):
        return True
    return from_here(request)


def from_here(request: web.Request) -> bool:
    """Whether the request comes from this machine.

    What a proxy hands on is not from here, wherever the proxy runs; nor is what names another host than this one, as a
    page of somebody else's does whose name was made to point here.
    """
    if any(name in request.headers for name in _FORWARDED):
        return False
    host, _, port = request.host.rpartition(":")
    named = host if port.isdigit() else request.host
    return _loopback(request.remote) and named.casefold() in _LOCAL_NAMES


def _loopback(address: str | None) -> bool:
    try:
        return address is not None and ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
