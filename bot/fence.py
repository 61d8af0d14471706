"""How texts of others stand in a prompt: between tags that they cannot close or open, as material and not as orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.document import Passage

_TAG = re.compile(r"<(?=\s*[/!?]?\s*[^\W\d_])")


def fence(tag: str, text: str) -> str:
    """Text as data between tags. Whatever in it could be read as a tag is escaped; "<5 mg" stays as it is."""
    return f"<{tag}>{_TAG.sub('&lt;', text)}</{tag}>"


def fenced(passages: Mapping[str, Passage]) -> str:
    """Passages with the short ids that a model is to call them by: where each comes from, and its raw text."""
    blocks = (
        f'<passage id="{short}">\n{fence("about", passage.context)}\n{fence("text", passage.text)}\n</passage>'
        for short, passage in passages.items()
    )
    return "\n".join(blocks)
