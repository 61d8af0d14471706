"""Buttons on a card. What they carry is an opaque id, looked up and authorised again on a click.

A card opens web pages only: clients differ in what they make of "tel:" and "sms:", so numbers stand in the text, which
phones dial from. Source: learn.microsoft.com, "Card actions"; adaptivecards.io, "Schema explorer", version 1.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from adapters.label import button_label
from adapters.link import web_url
from adapters.split import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.messages import Source
    from bot.wording import Wording

Action: TypeAlias = dict[str, Any]
Verb: TypeAlias = Literal["passage", "sources", "retry", "more"]

SHOWN = 6
"""Actions in one set; Teams hides those beyond."""
TITLE = 45
"""Characters of a button; Teams cuts a longer one off without a sign."""
ID = 2_000
"""Characters of a passage's id; a longer one gets no button."""


def open_url(title: str, url: str) -> Action:
    """A button that opens a page; `url` is one that `web_url` let through."""
    return {"type": "Action.OpenUrl", "title": cut(title, TITLE), "url": url}


def dialog(title: str, verb: Verb, **data: Any) -> Action:
    """A button that asks us for a dialog, which is shown to whoever clicked alone."""
    return {
        "type": "Action.Submit",
        "title": cut(title, TITLE),
        "data": {"msteams": {"type": "task/fetch"}, "citewell": verb, **data},
    }


def submit(title: str, verb: Verb, **data: Any) -> Action:
    """A button that sends us its data."""
    return {"type": "Action.Submit", "title": cut(title, TITLE), "data": {"citewell": verb, **data}}


def link(source: Source, words: Wording) -> Action | None:
    """Opens a source's document, where it has an address that may be opened."""
    url = web_url(source.url)
    return None if url is None else open_url(button_label(source, words, TITLE), url)


def source_action(source: Source, words: Wording) -> Action | None:
    """Opens a source's document where it has an address, else its passage in a dialog."""
    if (opened := link(source, words)) is not None:
        return opened
    if len(source.id) > ID:
        return None
    return dialog(button_label(source, words, TITLE), "passage", id=source.id, n=source.n)


def sets(actions: Sequence[Action]) -> Iterator[dict[str, Any]]:
    """The actions as elements of a card, none with more than Teams shows."""
    for at in range(0, len(actions), SHOWN):
        yield {"type": "ActionSet", "actions": list(actions[at : at + SHOWN])}
