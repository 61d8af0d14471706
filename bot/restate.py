"""The last answer once more, from the same passages: in simpler words, or in the documents' own.

In another language than its quote, a sentence cannot be checked: which word stands for which is not known here. So what
is asked for in a language is shown as the documents have it, under a line in that language that says so.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from bot.asking_on import InLanguage, Simpler
from bot.clean import clean
from bot.errors import CitewellError
from bot.instruction import addresses_a_machine
from bot.sayable import sayable
from bot.spoken import read_out
from bot.statements import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answerer import Answerer
    from bot.check import Check
    from bot.verify import Verified
    from bot.wording import Wording
    from memory.replay import Said
    from memory.turn import Source
    from retrieval.evidence import Evidence

logger = logging.getLogger(__name__)

Manner: TypeAlias = Simpler | InLanguage

_SIMPLER = "Explain it in simpler words."
_READ_OUT = 3
"""So many quotes stand in the text; the others are under their buttons."""


async def simpler(evidence: Evidence, history: Sequence[Said], answerer: Answerer, check: Check) -> Verified | None:
    """What the answerer makes of the passages in simpler words, checked as any answer; None where nothing stands."""
    try:
        draft = await answerer.answer(f"{evidence.query.standalone} {_SIMPLER}", evidence, history)
    except CitewellError as error:
        logger.warning("%s found no simpler words: %s", answerer.name, type(error).__name__)
        return None
    verified = await check.whole(draft)
    return verified if verified.statements else None


def of_the_same(evidence: Evidence, shown: Sequence[Source]) -> Evidence:
    """What there is beside the sources shown: of their own documents as long as those have more, else of any."""
    titles = {source.title for source in shown}
    same = tuple(hit for hit in evidence.hits if hit.document.title in titles)
    return replace(evidence, hits=same or evidence.hits)


def quotes(sources: Sequence[Source], evidence: Evidence) -> str:
    """What the first sources say, word for word, each under the number it had; lists and tables line by line."""
    texts = {hit.passage.id: hit.passage.text for hit in evidence.hits}
    return "\n\n".join(f"{_said(one.quote, texts[one.id])} [{one.n}]" for one in sources[:_READ_OUT])


def _said(quote: str, raw: str) -> str:
    """The statements of the passage that the quote holds some of, as an answer reads them out."""
    start, end = raw.index(quote), raw.index(quote) + len(quote)
    text, is_prose = "", True
    for piece in sayable(raw):
        own = raw[slice(*piece.span)]
        if piece.span[1] <= start or end <= piece.span[0] or addresses_a_machine(own):
            continue
        sentence = piece.shape is Shape.SENTENCE
        gap = "\n" if not sentence else " " if is_prose else "\n\n"
        text = f"{text}{gap}{clean(read_out(own, piece))}".lstrip()
        is_prose = sentence
    if not text:
        return f"“{' '.join(clean(quote).split())}”"
    return text if "\n" in text or not is_prose else f"“{text}”"


def why(manner: Manner, wording: Wording) -> str:
    """Why quotes are all there is."""
    match manner:
        case Simpler():
            return wording.asking_on.only_quotes
        case InLanguage(code):
            return wording.asking_on.only_original[code]
        case _:
            assert_never(manner)
