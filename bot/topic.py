"""What a person's questions are about: the topic a follow-up leaves out, read from those before it by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.followup_words import (
    ARTICLES,
    ASPECT_NOUNS,
    AUXILIARIES,
    FARE,
    GENERAL,
    GROUPS,
    MARKED,
    OCCASIONS,
    PREDICATES,
    PREPOSITIONS,
    PURSUITS,
    QUESTION_WORDS,
    SMALL_WORDS,
    VERBS_TOO,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

STOPS = " \t\n?.!,;:"
"""What is trimmed from the ends of a sentence."""
_LONGEST = 12  # words; a longer topic is cut
_WORD = re.compile(r"[^\W_]+(?:['’./-][^\W_]+)*")
_SENTENCES = re.compile(r"(?<=[?!])\s+|(?<=[.])\s+(?=[A-Z])")
_SUBJECTS = frozenset({"i", "you", "we", "they", "he", "she", "people", "someone", "to"})
"""What follows these is a verb, not yet the topic: "how can I *protect* ...", "is it safe to *eat* ..."."""
_PERSONS = frozenset({"i", "we"})
MARK = r"(?:\d{1,2}[a-z]?|[ivx]{1,4}|[a-z])"
"""The number or the letter of a name, in small letters: "2", "3b", "iv", "b"."""
_WHAT_ELSE = re.compile(r"what else about\b", re.IGNORECASE)
_CLAUSE_OPENERS = frozenset({"because", "if", "since", "that", "until", "when", "which", "while", "who"})


@dataclass(frozen=True, slots=True)
class Subject:
    """What the talk is about: the last `topic` as written, and the last question, `asked`, without its mark.

    `topic` is empty where no question has one; `asked` may be a later question without a topic: "when are you open".
    """

    topic: str
    asked: str


def subject(earlier: Sequence[str]) -> Subject | None:
    """The topic and the question after these, oldest first; None where none of them asks for anything.

    A question that names the topic before it again goes on with it, however it is put. What else there is about it asks
    nothing that could be asked again.
    """
    found: Subject | None = None
    for text in earlier:
        asked = _question(text)
        before = found.topic if found else ""
        again = _named_again(before, asked) if before else None
        if again and _WHAT_ELSE.match(asked):
            continue
        topic = again or _topic(asked)
        if topic or _asks(asked):
            found = Subject(topic or before, asked)
    return found


def spans(text: str) -> list[re.Match[str]]:
    """The words with their places; "don't", "covid-19" and "16/8" are one each."""
    return list(_WORD.finditer(text))


def words(text: str) -> list[str]:
    """The words in small letters, with straight apostrophes."""
    return [_folded(match[0]) for match in spans(text)]


def is_general(word: str) -> bool:
    """Whether it can be said of any topic. Capitals throughout ("SAD", "WHO") make a name of any word."""
    return _folded(word) in GENERAL and not (len(word) > 1 and word.isupper())


def own_words(text: str) -> list[str]:
    """The words that make a topic: neither general, nor for whom or when something is asked."""
    found = spans(text)
    done = {
        word.start()
        for before, word in pairwise(found)
        if _folded(word[0]) in VERBS_TOO and _folded(before[0]) in _SUBJECTS | {"not"}
    }
    return [
        match[0]
        for match in found
        if match.start() in done or not (is_general(match[0]) or _folded(match[0]) in GROUPS | OCCASIONS)
    ]


def is_mark(word: str) -> bool:
    """Whether it may be the number or the letter of a name."""
    return re.fullmatch(MARK, word, re.IGNORECASE) is not None


def seeks_advice(text: str) -> bool:
    """Whether it asks what to do without saying about what: "what should I eat?", "which foods should we avoid?"."""
    lower = words(text)
    own = {_folded(word) for word in own_words(text)}
    if not own or not own <= PURSUITS | FARE or set(lower) & {"where", "who"}:
        return False
    return all(
        (word in PURSUITS and before in _PERSONS | GROUPS | {"to", "not"})
        or (word in FARE and before in {"what", "which"})
        for before, word in pairwise(["", *lower])
        if word in own
    )


def without_article(text: str) -> str:
    """The text without the article it begins with."""
    first, _, rest = text.partition(" ")
    return rest.strip() if first.lower() in ARTICLES and rest.strip() else text


def _topic(asked: str) -> str | None:
    """The stretch from the first word that can carry a topic to the last, with the article before it.

    A verb alone is none ("where do I park"), nor is a day or a month.
    """
    found = spans(asked)
    general = [is_general(match[0]) for match in found]
    lower = [_folded(match[0]) for match in found]
    able = [n for n in range(len(found)) if not general[n] and lower[n] not in OCCASIONS]
    carriers = [n for n in able if lower[n] not in GROUPS] or able
    if not carriers or seeks_advice(asked):
        return None
    first = carriers[0]
    if marked := _mark_before(lower, first):
        first -= marked
    elif len(carriers) == 1 and first and lower[first - 1] in _PERSONS:
        return None
    elif first and lower[first - 1] in _SUBJECTS and len(carriers) > 1:
        first = carriers[1]
    while first and lower[first - 1] in GROUPS and not general[first - 1] and _adjoin(asked, found, first):
        first -= 1
    whole = _opens_topic([word for word in lower[:first] if word not in ARTICLES])
    breaks = _CLAUSE_OPENERS | AUXILIARIES if whole else _CLAUSE_OPENERS | AUXILIARIES | PREDICATES
    last = next((n - 1 for n in range(first + 1, len(found)) if lower[n] in breaks), len(found) - 1)
    trailing = SMALL_WORDS | {"exactly"} if whole else GENERAL - ASPECT_NOUNS
    while last > first and lower[last] in trailing and found[last][0] != "A":  # as in "hepatitis A"
        last -= 1
    last = min(last, first + _LONGEST - 1)
    if first and lower[first - 1] in ARTICLES:
        first -= 1
    end = len(asked) if last == len(found) - 1 else found[last].end()
    return asked[found[first].start() : end].strip(STOPS)


def _mark_before(lower: Sequence[str], first: int) -> int:
    """How many words before it belong to the topic as its mark: of "type 2 diabetes" found by its "2", or its noun."""
    for size in (1, 2):
        if first >= size and lower[first - size] in MARKED and is_mark(lower[first - size + 1]):
            return size
    return 0


def _asks(asked: str) -> bool:
    """Whether it is a question that says something, though of no topic: "when are you open", not "what is it"."""
    lower = set(words(asked))
    return bool(lower & (QUESTION_WORDS | AUXILIARIES)) and (
        bool(lower & (ASPECT_NOUNS | PREDICATES)) or bool(own_words(asked))
    )


def _opens_topic(before: Sequence[str]) -> bool:
    """Whether all that follows is the topic: "what is ...", "... of ..."."""
    return bool(before) and (before[-1] in PREPOSITIONS or before in (["what", "is"], ["what", "are"]))


def _named_again(topic: str, asked: str) -> str | None:
    """The topic as this question writes it, grown by the words right beside it: "flu" in "the flu clinic"."""
    match = re.search(rf"(?<!\w){re.escape(without_article(topic))}(?!\w)", asked, re.IGNORECASE)
    if match is None:
        return None
    start, end = match.span()
    found = spans(asked)
    for word in reversed([word for word in found if word.end() <= match.start()]):
        if asked[word.end() : start] != " " or is_general(word[0]):
            break
        start = word.start()
    for word in [word for word in found if word.start() >= match.end()]:
        if asked[end : word.start()] != " " or (is_general(word[0]) and word[0] != "A"):
            break
        end = word.end()
    before = [word for word in found if word.end() <= start]
    at = len(before)
    if at < len(found) and (size := _mark_before([_folded(word[0]) for word in found], at)):
        start = found[at - size].start()
        before = before[: at - size]
    if before and _folded(before[-1][0]) in ARTICLES:
        start = before[-1].start()
    return asked[start:end] if len(spans(asked[start:end])) <= _LONGEST else topic


def _adjoin(text: str, found: Sequence[re.Match[str]], n: int) -> bool:
    """Whether one space is all that parts a word from the one before it."""
    return text[found[n - 1].end() : found[n].start()] == " "


def _question(text: str) -> str:
    """The last question of a message, without its mark; its last sentence where nothing is asked."""
    sentences = [part.strip() for part in _SENTENCES.split(text.strip())]
    asked = [part for part in sentences if part.endswith("?")] or sentences
    return asked[-1].rstrip(STOPS)


def _folded(word: str) -> str:
    return word.lower().replace("’", "'")
