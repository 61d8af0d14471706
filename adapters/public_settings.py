"""The settings that say how we are reached from outside, and by whom: checked as they are read."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

ANYONE = "any"
_TEAM = re.compile(r"[TE][A-Z0-9]{2,}")
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}


def public_address(given: str) -> str:
    """The address alone, since paths are ours; people are led to it with codes, so nobody between may read along."""
    try:
        parts = urlsplit(given)
        whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    more = whole and (parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc)
    if not whole or more or not re.fullmatch(r"[\w.:\[\]-]+", parts.netloc, re.ASCII):
        raise ValueError("write the address alone, as https://bot.example.org, and nothing after the host and port")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _THIS_MACHINE):
        raise ValueError("write an address that begins with https://; http:// is for this machine alone")
    return f"{parts.scheme}://{parts.netloc}"


def team_ids(given: object) -> object:
    """Ids of Slack workspaces and organisations with commas between them, or the word any alone."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    if isinstance(names, Collection):
        names = [str(name) for name in names if name]
        if names != [ANYONE] and not all(map(_TEAM.fullmatch, names)):
            raise ValueError("write ids of workspaces and organisations (T0123ABC, E0456DEF), or any")
    return names
