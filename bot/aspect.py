"""What a question asks of its subject: its causes, signs, treatment, cost; and the words in which a text tells of it.

A question and its answer seldom use one word: "Is gout hereditary?" is answered by "runs in families".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.terms import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_WORDS = 25
"""A longer message tells a story, and its words ask for nothing by themselves."""


@dataclass(frozen=True, slots=True)
class _Words:
    asked: re.Pattern[str]
    told: re.Pattern[str]


def _words(asked: str, told: str) -> _Words:
    return _Words(*(re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE) for pattern in (asked, told)))


_ASPECTS = {
    "definition": _words(
        r"define|(?<=\A)what(?: is|['’]s| are)|meant by|know more|learn|tell me (?:more )?about"
        r"|(?:more |further )?(?:information|details|knowledge)",
        r"what (?:is|are)|overview|definition",
    ),
    "cause": _words(
        r"caus(?:e|es|ed|ing)|reasons?|triggers?|leads? to|why (?:do|does|did|is|are|would)"
        r"|how (?:do|does|did|can) (?:you|i|we|people|someone) (?:get|catch|develop)",
        r"caus(?:e|es|ed|ing)|because|due to|results? (?:from|in|of)|reasons?|trigger(?:s|ed)?|leads? to"
        r"|(?:form|develop|occur|happen)s? when|comes? from",
    ),
    "signs": _words(
        r"symptoms?|signs?|feels? like|look like",
        r"symptoms?|signs?|feel(?:s|ing)?|notice|may have|experience",
    ),
    "treatment": _words(
        r"treat(?:s|ed|ing|ment|ments|able)?|therap(?:y|ies)|cur(?:e|es|ed|able)|remed(?:y|ies)|get rid of|manage[ds]?"
        r"|(?:what|which) (?:helps|medicines?|medications?|drugs?)|what (?:to|should \w+|can \w+) do for",
        r"treat(?:s|ed|ing|ment|ments|able)?|therap(?:y|ies)|cur(?:e|es|ed|able)|remed(?:y|ies)|reliev(?:e|es|ed)"
        r"|medicines?|medications?|drugs?|surgery|antibiotics?|manag(?:e|es|ed|ing|ement)|prescribe[ds]?",
    ),
    "tests": _words(
        r"diagnos(?:e|es|ed|is|ing)|tests? for|tested|detect(?:s|ed)?|screen(?:ed|ing)",
        r"diagnos(?:e|es|ed|is|ing|tic)|tests?|exams?|examination|screening|detect(?:s|ed)?|scans?|biopsy|x-?rays?",
    ),
    "prevention": _words(
        r"prevent(?:s|ed|ing|ion|able)?|avoid(?:ed|ing)?|protect(?:ed|ing|ion)?|(?:reduce|lower) \w+ (?:risk|chance)s?",
        r"prevent(?:s|ed|ing|ion|able)?|avoid(?:ed|ing)?|protect(?:s|ed|ing|ion)?|vaccin(?:e|es|ated|ation)"
        r"|(?:reduc|lower)(?:e|es|ing)? \w+ (?:risk|chance)s?",
    ),
    "inheritance": _words(
        r"hereditary|inherit(?:s|ed|able|ance)?|genetic|genes?|runs? in (?:the |my )?famil(?:y|ies)|passed (?:on|down)",
        r"hereditary|inherit(?:s|ed|able|ance)?|genetic(?:ally|s)?|genes?|famil(?:y|ies|ial)|mutations?|heredity",
    ),
    "contagion": _words(
        r"contagious|infectious|catching|spread(?:s|ing)?|transmi(?:t|ts|tted|ssion)|catch it from|passed from",
        r"contagious|infectious|catching|spread(?:s|ing)?|transmi(?:t|ts|tted|ssion|ssible)|person to person"
        r"|(?:pass|passes|passed) (?:from|on|to)",
    ),
    "outlook": _words(
        r"outlook|prognosis|surviv(?:e|al)|life expectancy|curable|fatal|deadly|go away",
        r"outlook|prognosis|surviv(?:e|es|al)|expectancy|recover(?:s|y)?|fatal|die|death|years|goes? away|lifelong"
        r"|cure",
    ),
    "frequency": _words(
        r"how (?:common|rare|many people)|prevalence|incidence",
        r"common|rare|about 1 in|1 in [\d,]+|percent|prevalence|incidence|estimated|occurs in|affects",
    ),
    "risk": _words(
        r"risk factors?|who (?:gets|is at risk|is likely|can get|develops)|at risk|likely to (?:get|have|develop)",
        r"at risk|risk factors?|(?:more|most) (?:likely|common)|anyone can"
        r"|(?:higher|greater|increases? (?:the|your)) (?:risk|chance)s?",
    ),
    "exclusion": _words(
        r"who (?:should|must|can|may) ?n[o'’]t|who (?:should|must|can|may) not|who cannot|unsafe|contraindicat\w+",
        r"(?:should|must|may|can|do|does) not|cannot|(?:shouldn|mustn|can|don)['’]t|not (?:recommended|suitable|safe)"
        r"|avoid|allerg(?:y|ic|ies)|talk (?:to|with) (?:your|a) (?:doctor|nurse)|tell (?:your|the) (?:doctor|nurse)",
    ),
    "contact": _words(
        r"(?:(?:tele)?phone|contact) (?:numbers?|details)|phone|telephone|e-?mail|contact|reach|ring",
        r"call|ring|phone|telephone|contact|write to|reach|e-?mail|0\d{3,4}[ -]\d{3}[ -]?\d{3,4}",
    ),
    "place": _words(
        r"where",
        r"room \w+|floor|lane|street|road|avenue|building|ward|car park|address|next to|opposite|reception|entrance"
        r"|located|outside|desk",
    ),
    "hours": _words(
        r"(?:when|what times?)(?=\b.*\b(?:open|close|start|begin|end)(?:s|ed)?\b)",
        r"\d{1,2}(?:[.:]\d\d)? ?[ap]\.?m|\d{1,2}:\d\d|noon|midnight",
    ),
    "lasting": _words(r"how long(?=\b.*\b(?:take|last)\b)", r"takes?|lasts?"),
    "cost": _words(
        r"cost(?:s|ing)?|price[sd]?|fees?|charge[sd]?|free|pay(?:s|ing)?|how much (?:is|are|money)",
        r"cost(?:s|ing)?|price[sd]?|fees?|charge[sd]?|free|paid|pay(?:s|ing|ment)?|cash|card|pounds?|dollars?|euros?",
    ),
}

OF_FIGURES = frozenset({"lasting"})
"""What tells more closely which figure is asked for; all else gives way to it."""


def asked(question: str) -> dict[str, frozenset[str]]:
    """What it asks of its subject, by name, each with the stems of the words that ask for it.

    Nothing for a long story, nor where no such word stands.
    """
    if len(words(question)) > MOST_WORDS:
        return {}
    found = {name: [match.group() for match in one.asked.finditer(question)] for name, one in _ASPECTS.items()}
    aspects = {
        name: frozenset(stem(word) for text in texts for word in words(text)) for name, texts in found.items() if texts
    }
    return {name: stems for name, stems in aspects.items() if name != "definition" or len(aspects) == 1}


def told(text: str, aspects: Iterable[str]) -> list[str]:
    """Those of them that the text tells of."""
    return [name for name in aspects if _ASPECTS[name].told.search(text)]
