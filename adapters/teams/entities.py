"""What Teams shows about a message: that it was generated, and what each `[n]` in it stands for.

Both are one root entity; two of them are refused. Citations come from the index's records (promise 1).
Source: learn.microsoft.com, "Enhance AI-generated bot messages".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.label import name_of, one_line
from adapters.link import web_url
from adapters.split import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.messages import Source
    from bot.wording import Wording

CITATIONS = 20
NAME = 80
ABSTRACT = 160
KEYWORDS = 3
KEYWORD = 28


def message_entity(cited: Sequence[Source], words: Wording) -> dict[str, Any]:
    """The label for generated content, with a citation for each source, the first twenty of them."""
    entity: dict[str, Any] = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
        "additionalType": ["AIGeneratedContent"],
    }
    return entity | {"citation": [_citation(source, words) for source in cited[:CITATIONS]]} if cited else entity


def _citation(source: Source, words: Wording) -> dict[str, Any]:
    appearance: dict[str, Any] = {
        "@type": "DigitalDocument",
        "name": cut(name_of(source.title, source.locator), NAME) or f"[{source.n}]",
        "abstract": cut(one_line(source.quote), ABSTRACT) or "…",
    }
    if (url := web_url(source.url)) is not None:
        appearance["url"] = url
    told = [words.sources.found(source.found_by), words.mark(source)]
    if keywords := [one for one in told if one and len(one) <= KEYWORD][:KEYWORDS]:
        appearance["keywords"] = keywords
    return {"@type": "Claim", "position": source.n, "appearance": appearance}
