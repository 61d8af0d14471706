"""A service's address: what may be declared as one, and the one address that some arguments make of it."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z](?:[a-z0-9-]*[a-z0-9])?")
_HOLE = re.compile(r"\{([^{}]*)\}")
_PLAIN = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/?{}-]*")
"""What an address may be written with; anything else a client might read in its own way."""


def is_loopback(host: str) -> bool:
    """Whether it is this machine."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def origin_fault(url: str) -> str:  # noqa: PLR0911 - a list of cases
    """What keeps this from being an address with holes in its path and query alone; empty where nothing does."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"}:
        return "write an address, as https://beds.example.org/wards/{ward}"
    if parts.scheme == "http" and not is_loopback(host):
        return "it has to be https, except on this machine"
    if parts.username is not None or parts.password is not None:
        return "a secret cannot stand in it: name a variable of the environment under headers"
    if parts.fragment or "#" in url:
        return "it can have nothing behind a #"
    if "{" in parts.netloc or "}" in parts.netloc:
        return "its host is fixed: an argument can stand in the path and the query alone"
    if not _HOST.fullmatch(host) and not _is_address(host):
        return "it has no name of a host, and no whole IP address"
    if not _PLAIN.fullmatch(parts.path + parts.query):
        return "write what is no plain letter or digit as %20 and the like"
    if any(segment in {".", ".."} for segment in parts.path.split("/")):
        return "it can have no . or .. in its path"
    for part in (parts.path, *parts.query.split("&")):
        name, _, value = part.partition("=") if part is not parts.path else ("", "", part)
        if "{" in name or "}" in name or not value.count("{") == len(_HOLE.findall(value)) == value.count("}"):
            return "each { needs its }, and in the query it stands behind the ="
    return ""


def holes(url: str) -> tuple[list[str], list[str]]:
    """The arguments that stand in its path, and those in its query."""
    parts = urlsplit(url)
    return _HOLE.findall(parts.path), _HOLE.findall(parts.query)


def filled(url: str, values: Mapping[str, str]) -> str:
    """The address for these values, each encoded whole; a part of the query whose value is not given is left out.

    ValueError where a value would stand for another place.
    """
    parts = urlsplit(url)
    path = _HOLE.sub(lambda hole: quote(values[hole[1]], safe=""), parts.path)
    if any(segment in {".", ".."} for segment in path.split("/")):
        raise ValueError("a value leads to another place")
    pairs = [pair for pair in parts.query.split("&") if all(name in values for name in _HOLE.findall(pair))]
    query = "&".join(_HOLE.sub(lambda hole: quote(values[hole[1]], safe=""), pair) for pair in pairs)
    return f"{parts.scheme}://{parts.netloc}{path or '/'}" + (f"?{query}" if query else "")
