"""How the pieces of a passage are read out, and what bears each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.answer import Sentence
from bot.statements import Shape, cells

if TYPE_CHECKING:
    from bot.extract import Extract
    from bot.statements import Piece


def sentences(extract: Extract, *, first: bool) -> list[Sentence]:
    """The extract's pieces as sentences of an answer; unless it is its `first`, it begins a new paragraph."""
    passage = extract.hit.passage
    made = []
    for piece, before in zip(extract.pieces, (None, *extract.pieces), strict=False):
        quote = passage.text[slice(*piece.span)]
        opens = not first if before is None else before.block != piece.block and piece.shape is Shape.SENTENCE
        borne = passage.text[_evidence(piece) : piece.span[1]]
        made.append(Sentence(read_out(quote, piece), passage.id, borne, new_paragraph=opens))
    return made


def _evidence(piece: Piece) -> int:
    """Where the quote begins: a row that is read with figures in its columns' names is borne by those names too."""
    figures = any(character.isdigit() for name in piece.header for character in name)
    return piece.header_start if figures and piece.header_start is not None else piece.span[0]


def read_out(quote: str, piece: Piece) -> str:
    """The quote as it is read out: on one line, without markup, a row's cells beside their column names."""
    if piece.shape is Shape.ROW:
        row = cells(quote)
        named = len(piece.header) == len(row)
        shown = (
            [f"{name}: {cell}" if name else cell for name, cell in zip(piece.header, row, strict=True)]
            if named
            else row
        )
        return "- " + " · ".join(one for one in shown if one.strip(": "))
    text = re.sub(r"^>\s?|(?<=\n)>\s?", "", quote)
    text = re.sub(r"(\*\*|__|(?<![*\w])[*_](?=\w)|(?<=[\w.!?])[*_](?![*\w]))", "", text)
    text = re.sub(r"^(?:\*\*)?(?:[QA]|Question|Answer):\s*", "", text)
    text = re.sub(r"\n\s*[-*+\u2022\u25aa\u25e6\u2013]\s+", "\n - ", text)
    text = re.sub(r"(?!\n - )\s+", " ", text)
    text = re.sub(r"^[*+\u2022\u25aa\u25e6\u2013]\s", "- ", text)
    bare = piece.shape is Shape.ITEM and not re.match(r"-\s|\d{1,3}[.)]\s", text)
    return f"- {text}" if bare else text
