"""Pairs of words of which one, put for the other, turns a statement round: more and less, before and after."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection

_UP = (
    r"more|greater|higher|larger|longer|bigger|older|faster|stronger|increas\w+|rais(?:e[sd]?|ing)|rising|rises?|rose|"
    r"grow(?:s|ing)?|above|over|high|elevated|gain(?:s|ed)?|highest|maximum|exceed(?:s|ed|ing)?"
)
_DOWN = (
    r"less|fewer|lower(?:s|ed|ing)?|smaller|shorter|younger|slower|weaker|decreas\w+|reduc\w+|declin\w+|diminish\w*|"
    r"falls?|fell|drop(?:s|ped)?|below|under|low|loses?|lost|lowest|minimum"
)
_MUCH = (
    r"all|every(?:one|body)?|always|most(?:ly)?|many|usual(?:ly)?|often|frequent(?:ly)?|common(?:ly)?|typical(?:ly)?|"
    r"general(?:ly)?|completely|entirely|both"
)
_LITTLE = r"some|few|sometimes|occasional(?:ly)?|rare(?:ly)?|seldom|hardly|certain|partly"
_GO_ON = r"start(?:s|ed|ing)?|begin(?:s|ning)?|began|continu\w+|keep(?:s|ing)?|resum\w+|us(?:e[sd]?|ing)"
_STOP = r"stop(?:s|ped|ping)?|discontinu\w+|end(?:s|ed|ing)?|quit(?:s|ting)?|cease[sd]?|avoid(?:s|ed|ing)?"
_WHEN = r"(?=\s(?:about\s|around\s|(?:the\s)?age\s(?:of\s)?)?(?:\d|noon|midday|midnight))"
_PAIRS: tuple[tuple[str, str], ...] = (
    (_UP, _DOWN),
    (_MUCH, _LITTLE),
    (_GO_ON, _STOP),
    (
        rf"before|prior|until|till|earl(?:y|ier)|within|by{_WHEN}",
        rf"after|following|since|late(?:r)?|(?:from|starting){_WHEN}(?![^.,;]{{1,30}}\s(?:to|until|till)\s)",
    ),
    (r"by(?=\s[\d$£€])", r"(?:from|to)(?=\s[\d$£€])"),
    (
        r"must|should|ha(?:s|ve)\sto|needs?\sto|required|necessary|will",
        r"may|might|can|could|optional|possibly|perhaps",
    ),
    (r"better|best|improv\w+|benefi\w+|helps?|helpful", r"worse|worst|worsen\w*|harm\w*|damag\w+"),
    (r"allow(?:s|ed)?|permit(?:s|ted)?", r"forb[ai]d(?:s|den|e)?|prohibit(?:s|ed)?|bann?(?:s|ed)?"),
    (r"includ\w+", r"exclud\w+|except"),
    (r"positive(?:ly)?", r"negative(?:ly)?"),
    (r"normal(?:ly)?", r"abnormal(?:ly)?"),
    (r"regular(?:ly)?", r"irregular(?:ly)?"),
    (r"possible", r"impossible"),
    (r"(?:in)?sufficient|enough|adequate", r"insufficient|inadequate"),
    (r"effective(?:ly)?", r"ineffective(?:ly)?"),
    (r"complete", r"incomplete"),
    (r"active", r"inactive"),
    (r"mild(?:ly)?|slight(?:ly)?", r"severe(?:ly)?|serious(?:ly)?"),
    (r"acute", r"chronic"),
    (r"benign", r"malignant"),
    (r"open", r"closed|closes?(?!\s(?:at|on|from|by|again)\b)"),
    (r"(?:safe(?:ly|r)?|harmless|fine)", r"(?:unsafe|dangerous(?:ly)?|harmful|risky|hazardous|toxic|poisonous)"),
    (r"indicated|recommended|advised|suitable|approved", r"contraindicated|discouraged|unsuitable|withdrawn"),
    (r"confirm(?:s|ed)?", r"ruled\sout|excluded"),
    (r"present", r"absent|missing"),
    (r"same|similar", r"different"),
    (r"fast|quick(?:ly)?|rapid(?:ly)?", r"slow(?:ly)?"),
    (r"strong(?:ly)?", r"weak(?:ly)?"),
    (r"with|including", r"without"),
    (r"upper", r"lower"),
    (r"left", r"right"),
    (r"inside|internal(?:ly)?", r"outside|external(?:ly)?"),
)
_POLES = [tuple(re.compile(rf"\b(?:{pole})\b", re.IGNORECASE) for pole in pair) for pair in _PAIRS]
_UN = re.compile(r"(?:un|non-?)([a-z]{4,})\Z|(?:in|im|ir|il|dis|anti|contra)-?([a-z]{6,})\Z")
_NO_OPPOSITE = frozenset({"less"})
"""What is left of "unless" is no opposite of it."""
_BEGIN = re.compile(r"(hypo|hyper|pre|post|in|ex)([a-z]{4,})\Z")
_OTHER_BEGINNING = {"hypo": "hyper", "hyper": "hypo", "pre": "post", "post": "pre", "in": "ex", "ex": "in"}

_ANY = re.compile("|".join(f"(?:{pole})" for pair in _PAIRS for pole in pair), re.IGNORECASE)


@lru_cache(maxsize=4096)
def has_opposite(word: str) -> bool:
    """Whether the word is one of a pair: it tells clauses apart no more than a function word does."""
    return _ANY.fullmatch(word) is not None


def turned(statement: str, evidence: str) -> bool:
    """Whether the statement has one word of a pair more often than its evidence, and the other one less often.

    "Unsafe" and "safe" are such a pair too, and so is any word with "un" or "non" before it, with "less" for "ful"
    behind it, or with "hyper" for "hypo".
    """
    for one, other in _POLES:
        gained, lost = _more(one, statement, evidence), _more(other, statement, evidence)
        if gained * lost < 0:
            return True
    said, held = Counter(words(statement)), Counter(words(evidence))
    gone, new = held - said, said - held
    return _negates(new, gone) or _negates(gone, new)


def _more(pole: re.Pattern[str], text: str, other: str) -> int:
    return len(pole.findall(text)) - len(pole.findall(other))


def _negates(texts: Collection[str], others: Collection[str]) -> bool:
    bare = {match[1] or match[2] for text in texts if (match := _UN.match(text))}
    full = {f"{text[:-4]}ful" for text in texts if text.endswith("less")}
    begun = {_OTHER_BEGINNING[match[1]] + match[2] for text in texts if (match := _BEGIN.match(text))}
    return not (bare - _NO_OPPOSITE | full | begun).isdisjoint(others)
