"""Checks every statement of a draft against the passages of this turn, before anything is shown (promise 3). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot.answer import Answer, Fact, Sentence, Ungrounded
from bot.attribution import names_another, without_attribution
from bot.clean import clean
from bot.company import out_of_company
from bot.exchange import exchanged
from bot.instruction import addresses_a_machine, stands_in_an_order
from bot.overstated import overstated
from bot.polarity import contradicts, negated
from bot.quantities import unborne
from bot.quote import find_quote
from bot.reading import Reading, is_whole, reading
from bot.replaced import reordered, replaced
from bot.support import is_foreign, speaks_of
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.evidence import Evidence, Hit

Reason: TypeAlias = Literal[
    "unknown_passage",
    "empty",
    "quote_not_found",
    "figure",
    "negation",
    "other_subject",
    "instruction",
    "not_entailed",
]
"""Why a sentence fell. All but the last are said here; that one is a model's, where one is asked (`bot.check`)."""


_SHORTEST = 2
"""So many words make a quote, unless it is a whole sentence, item or cell: "the" stands in every passage."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that passed: its cleaned text, the hit that bears it, and the quote's span in that passage's text."""

    text: str
    hit: Hit
    span: tuple[int, int]
    new_paragraph: bool = False

    @property
    def quote(self) -> str:
        """The quote as the document has it."""
        return self.hit.passage.text[slice(*self.span)]


@dataclass(frozen=True, slots=True)
class Verified:
    """What may be shown: statements, or none and what is missing. `dropped` says why each of the others fell.

    `confidence` in [0, 1] is the strength of the evidence times the share of the draft that passed, 0 where none did.
    Half of that stands on how many of the question's telling words the statements hold: evidence may be strong, and an
    answer yet speak of something beside the question.
    """

    statements: tuple[Statement, ...]
    missing: str
    dropped: tuple[Reason, ...]
    confidence: float

    @property
    def answer(self) -> Answer:
        """The same as an answer, with the quotes as the documents have them."""
        if not self.statements:
            return Ungrounded(self.missing)
        return Fact(tuple(Sentence(s.text, s.hit.passage.id, s.quote, s.new_paragraph) for s in self.statements))


def verify(draft: Answer, evidence: Evidence) -> Verified:
    """Keep the sentences that this turn's evidence bears, and only those.

    A sentence stands if its passage is among the hits, its quote stands verbatim in that passage's raw text, and it
    speaks of the same, with the quote's figures and negations. What leads elsewhere is taken out of its text first. The
    answer as a whole falls if its first sentence does, since that is its point, or if half of it or more does. What it
    says twice is said once.
    """
    if isinstance(draft, Ungrounded):
        return Verified((), _in_words_of(evidence.query.original, draft.missing), (), 0.0)
    return judge([check(sentence, evidence) for sentence in draft.sentences], evidence)


def judge(checked: Sequence[Statement | Reason], evidence: Evidence) -> Verified:
    """What is left of an answer whose sentences were checked, in reading order: the last two rules of `verify`."""
    statements = tuple(one for one in checked if isinstance(one, Statement))
    dropped: tuple[Reason, ...] = tuple(one for one in checked if not isinstance(one, Statement))
    if not statements or checked[0] is not statements[0] or len(statements) <= len(dropped):
        return Verified((), "", dropped, 0.0)
    passed = len(statements) / len(checked)
    to_the_point = (1 + _coverage(evidence.query.standalone, statements)) / 2
    return Verified(_once(statements), "", dropped, round(evidence.best * passed * to_the_point, 2))


def _once(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Without what was said before, whatever it quotes this time."""
    first: dict[tuple[str, ...], Statement] = {}
    for one in statements:
        first.setdefault(tuple(words(one.text)), one)
    return tuple(first.values())


def _coverage(question: str, statements: Sequence[Statement]) -> float:
    """The share of the question's informative words that stand in the statements, read under their headings."""
    wanted = {stem(word) for word in words(question) if word not in STOP_WORDS}
    read = [[one.text, one.quote, one.hit.document.title, *one.hit.passage.headings] for one in statements]
    held = {stem(word) for texts in read for text in texts for word in words(text)}
    return len(wanted & held) / len(wanted) if wanted else 1.0


def check(sentence: Sentence, evidence: Evidence) -> Statement | Reason:
    """One sentence by itself: a statement, or why it falls. What else the draft says changes nothing."""
    hit = next((hit for hit in evidence.hits if hit.passage.id == sentence.passage_id), None)
    if hit is None:
        return "unknown_passage"
    text = clean(sentence.text)
    if not _says(text):
        return "empty"
    span = _place(sentence.quote, hit.passage.text)
    if span is None:
        return "quote_not_found"
    if addresses_a_machine(text) or stands_in_an_order(hit.passage.text, span):
        return "instruction"
    read = reading(hit, span)
    text = without_attribution(text, read.named)
    if not _says(text):
        return "empty"
    asked = f"{evidence.query.original}\n{evidence.query.standalone}"
    itself = _is_its_own_quote(text, hit.passage.text[slice(*span)], read)
    fault = None if itself else _fault(text, read, asked)
    return fault or Statement(text, hit, span, sentence.new_paragraph)


def _place(quote: str, raw: str) -> tuple[int, int] | None:
    """Where the quote stands, if it says enough to be one."""
    span = find_quote(quote, raw)
    enough = span is not None and (len(words(raw[slice(*span)])) >= _SHORTEST or is_whole(raw, span))
    return span if enough else None


def _is_its_own_quote(text: str, quote: str, read: Reading) -> bool:
    """Whether it is the document's own sentences, whole and word for word: they say nothing but themselves.

    Items and rows are not told so: what they say depends on what stands above them.
    """
    if read.leads or read.joined or read.rows:
        return False
    return text.split() == quote.split() == " ".join(read.said).split()


def _says(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _fault(text: str, read: Reading, asked: str) -> Reason | None:
    """What the text says beyond its quote as it reads in its place; an item may be said as it stands in its list."""
    as_it_stands = set(terms(text)) <= {term for line in read.said for term in terms(line)}
    borne = read.named if as_it_stands else read.in_place
    same_language = is_foreign(text) == is_foreign(borne)
    figures = read.figured
    if unborne(text, borne, same_language=same_language) or exchanged(text, figures) or out_of_company(text, figures):
        return "figure"
    if not speaks_of(text, read.text, about=read.names, asked=asked):
        return "other_subject"
    if same_language and names_another(text, read.named):
        return "other_subject"
    if same_language and (replaced(text, read.text, read.named) or reordered(text, read.text)):
        return "other_subject"
    drops_no = not as_it_stands and any(map(negated, read.joined)) and not negated(text)
    turned = contradicts(text, read.text) or overstated(text, read.text, asked)
    return "negation" if turned or drops_no else None


def _in_words_of(question: str, missing: str) -> str:
    """What the draft says is missing, if the question says just that: nothing unchecked goes out that way."""
    said = " ".join(clean(missing).split()).rstrip(".!?")
    found = re.search(rf"(?<!\w){re.escape(said)}(?!\w)", " ".join(clean(question).split()), re.IGNORECASE)
    return said if found and set(words(said)) - STOP_WORDS else ""
