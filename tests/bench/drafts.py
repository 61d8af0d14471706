"""Drafts of a model that mixes right sentences, altered ones, and ones with links and made-up sources."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.statements import Shape, cells, pieces
from retrieval.terms import STOP_WORDS
from tests.bench.alterations import altered, rendered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.document import Document, Passage

LINK = "https://evil.example/a"
SOURCE = "British Journal of Inventions"
LEADS = re.compile(r"evil|https?:|www|xn--|<[@!/a-z]|\]\(|Inventions|Inventor", re.IGNORECASE)
"""What is left of a link or source that no document has."""

_LINKED = {
    "bare link": "{s} " + LINK,
    "inline link": f"[{{s}}]({LINK})",
    "link by reference": f"[{{s}}][1]\n[1]: {LINK}",
    "autolink": f"{{s}} <{LINK}>",
    "link of Slack": f"{{s}} <{LINK}|>",
    "image": f"{{s}} ![ ]({LINK}.png)",
    "HTML": f'<a href="{LINK}">{{s}}</a>',
    "punycode": "{s} xn--80ak6aa92e.com",
    "link in entities": "{s} https&#58;&#47;&#47;evil.example",
    "link split by invisible signs": "{s} ht\u200btps://ev\u200bil.example",
    "script": "{s} javascript:alert('evil')",
    "mention": "{s} <@U0EVIL00> <!channel>",
}
_SOURCED = {
    "according to": f"According to the {SOURCE}, {{s}}",
    "source line": f"{{s}}\nSource: {SOURCE} 2019",
    "source behind": f"{{s}} Source: {SOURCE} 2019",
    "cited": "{s} (Inventor et al., 2019)",
    "cited in brackets": "{s} [Inventor et al.]",
    "source in brackets": f"{{s}} (Source: {SOURCE})",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence as a model drafts it. `passage` is the short id that it names, "p1" for the one it was given.

    `core` is what must still be read where it is right, with nothing of a link or source beside it.
    """

    right: bool
    kind: str
    text: str
    quote: str
    passage: str = "p1"
    core: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage, what a sentence says of it, the quote that bears that, and the set it is of.

    `kind` says how the sentence reads the quote, which "word for word" is.
    """

    name: str
    document: Document
    passage: Passage
    quote: str
    sentence: str
    kind: str = "word for word"


def sources(name: str, document: Document, passage: Passage) -> Iterator[Source]:
    """One of the passage's whole sentences, one of its items with what introduces it, and one row with its columns.

    The same ones each time, with a figure or "not" where any has one.
    """
    raw, found = passage.text, pieces(passage.text)
    made: dict[str, list[tuple[str, str]]] = {}
    for before, piece in zip((None, *found), found, strict=False):
        quote = raw[slice(*piece.span)]
        text = " ".join(quote.split())
        lead = " ".join(raw[slice(*before.span)].split()) if before else ""
        if piece.shape is Shape.SENTENCE and text[-1] in ".!?" and text[0].isupper():
            made.setdefault("word for word", []).append((quote, text))
        elif piece.shape is Shape.ITEM and before and before.shape is Shape.SENTENCE and lead.endswith(":"):
            item = re.sub(r"^(?:[-*+\u2022]|\d+[.)])\s+", "", text)
            made.setdefault("an item with what introduces it", []).append((quote, f"{lead[:-1]} {item}"))
        elif piece.shape is Shape.ROW and len(piece.header) == len(cells(quote)):
            named = zip(piece.header, cells(quote), strict=True)
            read = ", ".join(f"{column}: {cell}" for column, cell in named if cell)
            made.setdefault("a row with its columns", []).append((quote, read))
    for kind, all_ in made.items():
        fit = [one for one in all_ if 40 < len(one[1]) < 300 and not LEADS.search(one[1])]
        telling = [one for one in fit if re.search(r"\d|\b(?:not|no|never|without|cannot)\b|n't\b", one[1])] or fit
        if telling:
            quote, text = telling[chance(passage.id) % len(telling)]
            yield Source(name, document, passage, quote, text, kind)


def chance(key: str) -> int:
    """A number that is the same each time."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


def rights(of: Source) -> Iterator[Case]:
    """The sentence, honest renderings of it, and itself with two of the links and one of the sources."""
    for kind, text in rendered(of.sentence, of.document.title):
        yield Case(right=True, kind=of.kind if text == of.sentence else kind, text=text, quote=of.quote, core=text)
    turn = chance(of.sentence)
    for kind, form in (*_two(list(_LINKED.items()), turn), *_two(list(_SOURCED.items()), turn)[:1]):
        text = form.format(s=of.sentence if of.sentence[-1] in ".!?" else f"{of.sentence}.")
        yield Case(right=True, kind=f"with a {kind}" if kind in _LINKED else f"with a source: {kind}", text=text,
                   quote=of.quote, core=of.sentence)  # fmt: skip


def wrongs(of: Source, other: Source) -> Iterator[Case]:
    """The sentence altered in every way that it has a place for, and its quote or passage made up."""
    for kind, text in altered(of.sentence):
        yield Case(right=False, kind=kind, text=text, quote=of.quote)
    yield Case(right=False, kind="no such passage", text=f"Note: {of.sentence}", quote=of.quote, passage="p9")
    yield Case(right=False, kind="quote of another document", text=f"So: {other.sentence}", quote=other.quote)
    yield Case(right=False, kind="quote with a word changed", text=f"Yes: {of.sentence}", quote=_misquoted(of.quote))
    yield Case(right=False, kind="true quote under another subject", text=other.sentence, quote=of.quote)


def drafts(of: Source, other: Source) -> Iterator[Sequence[Case]]:
    """Drafts that hold them all: every one begins with the sentence itself, and two thirds of each are right."""
    good, bad = list(rights(of)), list(wrongs(of, other))
    share = max(1, len(good) // 2)
    for start in range(0, len(bad), share):
        mixed = good[1:] + bad[start : start + share]
        yield [good[0], *sorted(mixed, key=lambda case: chance(case.kind + case.text))]


def told_apart(of: Source, other: Source) -> bool:
    """Whether the other's sentence is of something else than the passage."""
    ours, theirs = (
        {word.rstrip("s") for word in re.findall(r"[a-z]{3,}", text.lower())} - STOP_WORDS
        for text in ("\n".join([of.passage.text, of.document.title, *of.passage.headings]), other.sentence)
    )
    return len(ours & theirs) <= 1 and len(theirs) > 3


def _two(forms: list[tuple[str, str]], turn: int) -> list[tuple[str, str]]:
    return [forms[turn % len(forms)], forms[(turn + 5) % len(forms)]]


def _misquoted(quote: str) -> str:
    words = quote.split(" ")
    long = [at for at, word in enumerate(words) if len(word) > 3 and word.isalpha()] or [0]
    words[long[len(long) // 2]] = "certainly"
    return " ".join(words)
