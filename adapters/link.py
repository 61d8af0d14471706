"""Which addresses a button may open: what a document says of itself is not to be trusted."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

LONGEST = 3_000
"""Characters; Slack's limit, which no address of a page comes near."""

_NOT_IN_URL = re.compile(r"[\s\x00-\x20\x7f-\x9f<>\"{}|\\^`\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_HOST = re.compile(r"[\w.-]*\w\.?|[0-9a-f:.]*:[0-9a-f:.]*")


def web_url(url: str | None) -> str | None:
    """`url` if a button may open it: http or https in small letters, with a host, well formed, and not too long."""
    if url is None or len(url) > LONGEST or not url.startswith(("http://", "https://")) or _NOT_IN_URL.search(url):
        return None
    try:
        parts = urlsplit(url)
        well_formed = bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        return None
    return url if well_formed else None
