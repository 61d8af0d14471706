"""Passages as Adaptive Cards: verbatim, with where they stand, how they were found and where they ranked.

What comes from documents is put into text runs, in which Teams reads no markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.label import joined, label_of
from adapters.split import cut
from adapters.teams.actions import link, sets, submit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.messages import Source
    from bot.wording import Wording
    from retrieval.evidence import Hit

VERSION = "1.5"
"""Of Adaptive Cards; Teams knows none above it on every device."""
PASSAGES_TEXT = 6_000
SHOWN = 20


def passages(sources: Sequence[Source], words: Wording, *, lead: str = "", more: str = "") -> dict[str, Any]:
    """Sources with their passages, and buttons that open those documents that have an address.

    What they are sources of is said above the card, or by `lead`. `more` is the id of rows that are left.
    """
    shown = sources[:SHOWN]
    each = PASSAGES_TEXT // max(1, len(shown))
    body = []
    for source in shown:
        ranks = f"#{source.rank}"
        if source.rank_before_rerank != source.rank:
            ranks = f"#{source.rank_before_rerank} → {ranks}"
        told = joined(words.sources.found(source.found_by), ranks, words.mark(source))
        body.append(_container(label_of(source.n, source.title, source.locator), cut(source.quote, each), told))
    links = [action for source in shown if (action := link(source, words)) is not None]
    rest = [submit(words.lookups.more_button, "more", id=more)] if more else []
    return card(*([runs(lead, weight="Bolder")] if lead else []), *body, *sets([*links, *rest]))


def passage(hit: Hit, number: int, mark: str = "") -> dict[str, Any]:
    """One passage in full, as it stands in its document, with what its document is marked by."""
    label = label_of(number, hit.document.title, hit.locator)
    return card(_container(label, cut(hit.passage.text, PASSAGES_TEXT), mark))


def card(*body: dict[str, Any]) -> dict[str, Any]:
    """A card's content."""
    return {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": VERSION,
        "body": list(body),
    }


def attachment(content: dict[str, Any]) -> dict[str, Any]:
    """A card as a message carries it."""
    return {"contentType": "application/vnd.microsoft.card.adaptive", "content": content}


def runs(text: str, **style: Any) -> dict[str, Any]:
    """Words that no markup is read in, whatever they hold."""
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text or " ", **style}]}


def subtle(text: str) -> dict[str, Any]:
    """Words beside the matter."""
    return runs(text, size="Small", isSubtle=True)


def _container(label: str, text: str, told: str) -> dict[str, Any]:
    quote = {"type": "Container", "style": "emphasis", "items": [runs(text)]}
    items = [runs(label, weight="Bolder"), quote, *([subtle(told)] if told else [])]
    return {"type": "Container", "spacing": "Medium", "items": items}
