"""Which addresses are ever called: those of Teams itself. What a request names as its service is held to this first."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_URL = re.compile(
    r"(?:https?)://(?:[A-Za-z0-9.-]{1,253}|\[::1\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/-]{0,500})?", re.ASCII
)
_LONGEST = 1_000


def service_allowed(url: str, hosts: Collection[str]) -> bool:
    """Whether `url` may be called: https on its own port, at one of `hosts`, with nothing else in it.

    A host that begins with `*.` stands for all below it. Without https, or on another port, only a host on loopback
    that is itself named may be called. Anything that two parsers might read in two ways is refused.
    """
    if len(url) > _LONGEST or not _URL.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").casefold(), parts.port
    except ValueError:
        return False
    if is_loopback(host):
        return host in {name.strip("[]") for name in hosts}
    if parts.scheme != "https" or port not in {None, 443}:
        return False
    return any(host.endswith(name[1:]) if name.startswith("*.") else host == name for name in hosts)


def is_loopback(host: str) -> bool:
    """Whether a host or address is this machine itself."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.casefold() == "localhost"
