"""One passage taken apart for one question: its statements, read under their headings, and what each is worth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.followup_words import AUXILIARIES, PRONOUNS
from bot.sayable import sayable
from bot.statements import Piece, Shape, cells
from retrieval.terms import stem, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.sought import Sought
    from retrieval.evidence import Hit

_TOLD = 0.4
"""What a statement that tells what is asked of the subject is worth beside the question's words."""
_KEY = 0.1
"""What a row's first cell adds for its words: it says what the row is of, and the others what is said of that."""
_FULL = 0.9
"""Headings that carry this share of the question say that the text below is its answer, from its beginning on."""
_CAPTION_WORDS = 3
_LEANS_BACK = re.compile(
    r"(?:it|its|they|their|them|this|these|those|that|he|she|however|but|also|in addition|for example|such|then|"
    r"otherwise|therefore|instead)\b",
    re.IGNORECASE,
)
_BARE_REPLY = re.compile(
    r"(?:(?:A|Answer):\s*)?(?:yes|no|sometimes|usually|rarely|not always|maybe|it depends)\b", re.IGNORECASE
)
_UNIT = re.compile(r"\(([^()]{1,12})\)\s*$")


@dataclass(frozen=True, slots=True)
class Page:
    """A passage's statements in order, and what each is worth.

    `asks` marks questions of the text's own ("How is it treated? With ..."): they are headings of what follows them,
    and `said` is what each says under the last of them. `tells` counts what it tells of what is asked of the subject.
    `above` are the question's stems that title and headings bear, `told_above` counts what those tell. `full` says
    that the headings ask the question, `goes_on` that the section began in the
    passage before.
    """

    raw: str
    found: Sequence[Piece]
    asks: Sequence[bool]
    said: Sequence[str]
    bears: Sequence[frozenset[str]]
    tells: Sequence[int]
    worth: Sequence[float]
    above: frozenset[str]
    told_above: int
    full: bool
    goes_on: bool

    @classmethod
    def of(cls, hit: Hit, sought: Sought, *, goes_on: bool) -> Page:
        """The hit's passage, read under its headings."""
        raw, title = hit.passage.text, hit.document.title
        headings = " ".join(one for one in hit.passage.headings if one != title)
        told_above = len(sought.told(headings))
        above = ({stem(word) for word in words(title)} & sought.weights.keys()) | sought.borne(headings)
        found = sayable(raw)
        read = [_read(piece, raw) for piece in found]
        asks = [
            piece.shape is Shape.SENTENCE and text.rstrip("*_").endswith("?")
            for piece, text in zip(found, read, strict=True)
        ]
        said = _under_questions(read, asks)
        bears = [sought.borne(text) for text in said]
        tells = [len(sought.told(text)) for text in said]
        # A word that the heading says already tells little about which sentence below it is meant.
        worth = [
            sum(sought.weights[one] * (0.5 if one in above else 1.0) for one in stems)
            + _TOLD * told
            + _KEY * sought.share(sought.borne(_key(piece, raw)))
            if sought.names_subject(stems | above)
            else 0.5 * sought.share(stems)
            for piece, stems, told in zip(found, bears, tells, strict=True)
        ]
        full = sought.share(above) >= _FULL and 0 < len(sought.aspects) == told_above
        return cls(raw, found, asks, said, bears, tells, worth, frozenset(above), told_above, full, goes_on)

    def text(self, i: int) -> str:
        """The piece as the document has it."""
        return self.raw[slice(*self.found[i].span)]

    def is_caption(self, i: int) -> bool:
        """Whether it is a few words without verb or figure that say nothing without what follows: "Blood tests."."""
        text = self.text(i)
        found = words(text)
        brief = len(found) <= _CAPTION_WORDS and not any(character.isdigit() for character in text)
        bare = brief and not AUXILIARIES.union(PRONOUNS).intersection(found)
        return bare and self.found[i].shape is Shape.SENTENCE and not _BARE_REPLY.match(text)

    def is_orphan(self, i: int) -> bool:
        """Whether it leans on something that the passage does not hold: a sentence, or a list without its beginning."""
        sentence = i == 0 and self.found[0].shape is Shape.SENTENCE
        return self._is_bare_item(i) or (sentence and self.leans_back(0))

    def is_unintroduced(self, i: int) -> bool:
        """Whether it is an item whose introduction stands in a passage before, and may be "You should not ... if"."""
        return self.goes_on and self._is_bare_item(i)

    def _is_bare_item(self, i: int) -> bool:
        piece = self.found[i]
        first = piece.shape is Shape.ITEM and piece.block == self.found[0].block
        return first and self.text(i).partition(" ")[2][:1].islower()

    def leans_back(self, i: int) -> bool:
        """Whether it is understood only after the piece before it: "It ...", or "Yes." to a question."""
        if self.asks[i]:
            return False
        replies = i > 0 and self.asks[i - 1] and _BARE_REPLY.match(self.text(i))
        return bool(replies or _LEANS_BACK.match(self.text(i)))


def _under_questions(read: Sequence[str], asks: Sequence[bool]) -> list[str]:
    said, over = [], ""
    for text, is_question in zip(read, asks, strict=True):
        over = text if is_question else over
        said.append(f"{over} {text}" if over and not is_question else text)
    return said


def _key(piece: Piece, raw: str) -> str:
    """A row's first cell; nothing of other pieces."""
    return cells(raw[slice(*piece.span)])[0] if piece.shape is Shape.ROW else ""


def _read(piece: Piece, raw: str) -> str:
    """The piece's text; a row's with its columns, each figure beside the unit that its column names: "Adults (mg)"."""
    text = raw[slice(*piece.span)]
    row = cells(text) if piece.shape is Shape.ROW else []
    if not row or len(row) != len(piece.header):
        return " ".join([*piece.header, text])
    units = [match[1] if (match := _UNIT.search(name)) else "" for name in piece.header]
    return " ".join(f"{name} {cell} {unit}" for name, cell, unit in zip(piece.header, row, units, strict=True))
