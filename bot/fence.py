"""Other people's text as data within a message to a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anthropic.types import MessageParam

_TAG = re.compile(r"<(?=\s*[/!?]?\s*[^\W\d_])")


def fence(tag: str, text: str) -> str:
    """Text as data between tags. Whatever in it could be read as a tag is escaped; "<5 mg" stays as it is."""
    return f"<{tag}>{_TAG.sub('&lt;', text)}</{tag}>"


def user(content: str) -> MessageParam:
    """The message of the one who asks."""
    return {"role": "user", "content": content}
