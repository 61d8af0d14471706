"""Whether a statement says yes where its evidence says no."""

from __future__ import annotations

import re

from retrieval.terms import terms

_CLAUSE = re.compile(r"[.!?;:\n\u2022]+(?=\s|$)|\s+(?:but|however|although|whereas|unless)\s+", re.IGNORECASE)
_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|without|cannot|avoid(?:s|ed|ing)?|"
    r"(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need)n['\u2019]?t)\b",
    re.IGNORECASE,
)


def contradicts(statement: str, evidence: str) -> bool:
    """Whether any clause of the statement is negated otherwise than the evidence's clause that it shares most with.

    "Children should come" contradicts "Children should not come"; a clause that shares no informative word with the
    evidence says nothing here. What says the whole evidence word for word never contradicts it, wherever its lines
    end. English only: in other languages nothing is ever found to contradict.
    """
    if statement.split() == evidence.split():
        return False
    clauses = [(set(terms(clause)), _negations(clause)) for clause in _clauses(evidence)]
    for clause in _clauses(statement):
        words = set(terms(clause))
        shared = max((len(words & other) for other, _ in clauses), default=0)
        if not shared:
            continue
        nearest = [negations for other, negations in clauses if len(words & other) == shared]
        if _negations(clause) not in nearest:
            return True
    return False


def _clauses(text: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(text) if clause.strip()]


def _negations(clause: str) -> int:
    return len(_NEGATOR.findall(clause))
