"""A modal that shows one passage in its place: what stands before it, the passage itself marked, what stands after it.

Pure. Everything in it comes from the index's own records (promise 1). Source: docs.slack.dev, "Modals".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from adapters.label import TITLE_TEXT, one_line
from adapters.link import web_url
from adapters.slack.blocks import LINK_ACTION, PASSAGES_TEXT, passages
from adapters.slack.kit import SECTION_TEXT, actions, button, context, plain_text, quote, section, verbatim
from adapters.slack.mrkdwn import escape, plain
from adapters.split import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from adapters.slack.kit import Block
    from adapters.sources import InPlace
    from bot.messages import Source
    from bot.wording import Wording
    from retrieval.document import Document, Passage
    from retrieval.evidence import Hit

View: TypeAlias = dict[str, Any]

VIEW_BLOCKS = 100
VIEW_TITLE = 24
_LINE = 300


def view(title: str, blocks: Sequence[Block], words: Wording, **more: Any) -> View:
    """A modal that can be closed; `more` is what else it has."""
    return {
        "type": "modal",
        "title": plain_text(cut(title, VIEW_TITLE)),
        "close": plain_text(cut(words.passage.close, VIEW_TITLE)),
        "blocks": list(blocks[:VIEW_BLOCKS]),
        **more,
    }


def said(title: str, text: str, words: Wording) -> View:
    """A modal with one of our own fixed sentences."""
    return view(title, [section(plain(text))], words)


def waiting(title: str, words: Wording) -> View:
    """What is shown until there is more."""
    return said(title, words.passage.waiting, words)


def sources_view(sources: Sequence[Source], words: Wording, *, heading: str, place: str) -> View:
    """The passages behind an answer; `place` is the channel they were asked for in, by which clicks are authorised."""
    post = passages(sources, words, heading=heading)
    return view(words.sources.all, post.blocks, words, private_metadata=place)


def passage_view(found: InPlace | None, words: Wording, *, today: date) -> View:
    """The passage in its place, or a line that says that it has gone."""
    if found is None:
        return said(words.passage.title, words.sources.gone, words)
    hit = found.hit
    before, after = _unrepeated(found)
    blocks = [
        section(f"*{escape(cut(one_line(hit.document.title), TITLE_TEXT)) or '…'}*"),
        *_small(hit.locator),
        *_small(_dates(hit.document, words, today)),
        *_around(before, hit, words.passage.before),
        context(words.passage.passage),
        *(quote(part) for part in _parts(hit.passage.text)),
        *_around(after, hit, words.passage.after),
    ]
    if (url := web_url(hit.document.url)) is not None:
        blocks += actions([button(LINK_ACTION, 0, words.passage.open, url=url)])
    return view(words.passage.title, blocks, words)


def _unrepeated(found: InPlace) -> tuple[list[Passage], list[Passage]]:
    """The neighbours without what the passage, or one nearer to it, shows already: passages may overlap."""
    start, end = found.hit.passage.span
    before: list[Passage] = []
    for one in reversed(found.before):
        before.insert(0, replace(one, text=one.text[: max(0, start - one.span[0])]))
        start = min(start, one.span[0])
    after = []
    for one in found.after:
        after.append(replace(one, text=one.text[max(0, end - one.span[0]) :]))
        end = max(end, one.span[1])
    return before, after


def _around(neighbours: Sequence[Passage], hit: Hit, name: str) -> Iterator[Block]:
    """Under a line that names them, each with where it stands if that is another place than the passage's."""
    shown = [one for one in neighbours if one.text.strip()]
    if shown:
        yield context(name)
    for one in shown:
        where = replace(hit, passage=one).locator
        if where != hit.locator:
            yield from _small(where)
        yield from (verbatim(part) for part in _parts(one.text))


def _parts(text: str) -> list[str]:
    """Stretches that a block holds; of a text beyond all measure the end is left out."""
    text = cut(text, PASSAGES_TEXT * 2)
    return [text[at : at + SECTION_TEXT] for at in range(0, len(text), SECTION_TEXT)] or ["…"]


def _small(line: str) -> Iterator[Block]:
    if shown := cut(one_line(line), _LINE):
        yield context(shown)


def _dates(document: Document, words: Wording, today: date) -> str:
    """Those that the document has, in words."""
    says = words.passage
    missed = document.review_missed(today)
    due = says.review_by.format(month=words.dates.month_of(document.review_by)) if document.review_by else ""
    parts = (
        says.effective.format(day=words.dates.day_of(document.effective)) if document.effective else "",
        says.expires.format(day=words.dates.day_of(document.expires)) if document.expires else "",
        words.review_due(missed) or due,
    )
    return " · ".join(filter(None, parts))
