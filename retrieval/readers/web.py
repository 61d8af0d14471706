"""Web addresses that documents give, of which only plain ones are taken."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

from retrieval.readers.one_line import INVISIBLE

_NEVER = frozenset('<>"\\')


def web_address(written: str) -> str | None:
    """The address with its scheme in lower case; None if a link must not lead there.

    Taken are http and https with a host, without user name or password, white space, characters that cannot be seen,
    angle brackets, double quotes and backslashes.
    """
    if any(char.isspace() or char in _NEVER or unicodedata.category(char) in INVISIBLE for char in written):
        return None
    try:
        parts = urlsplit(written)
        usable = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return None
    return parts.scheme + written[len(parts.scheme) :] if usable and parts.scheme in {"http", "https"} else None
