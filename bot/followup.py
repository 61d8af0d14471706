"""Makes a follow-up question stand alone by rule, for a bot without a model. English; other languages pass unchanged.

A rewriting is built from the words of the question and of the earlier ones, with nothing added but a preposition or an
article (`followup_words.ADDED`): no number, drug or name can come in. It is for a search, so it may be clumsy.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from bot.designation import redesignated
from bot.followup_words import (
    ARTICLES,
    ASPECT_NOUNS,
    AUXILIARIES,
    DETERMINERS,
    GENERAL,
    GROUPS,
    KINDS,
    OCCASIONS,
    PREDICATES,
    PREPOSITIONS,
    QUESTION_WORDS,
)
from bot.topic import STOPS, Subject, own_words, seeks_advice, spans, subject, without_article, words

if TYPE_CHECKING:
    from collections.abc import Sequence


_LONGEST_FOLLOW_UP = 30  # words; who writes more has said what it is about

_SAYS_ENOUGH = 3
"""Words of its own that a message has before a pronoun, from which on the pronoun means one of them."""

_OPENING = re.compile(
    r"(?:(?:ok|okay|thanks|thank you|hmm+|i see|great|wow|yes|no|well|so|but|now|oh|right|also)\b[\s,.!;:–-]*)+",
    re.IGNORECASE,
)
_AND = re.compile(r"and\b[\s,]*", re.IGNORECASE)
_SWITCH = re.compile(
    r"(?:(?:what|how) about|(?:the )?same (?:question )?(?:for|with|about)|and(?: what about)?)\s+"
    r"(?P<rest>(?:[^.?!\n]|[.?!](?=\S))+)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?P<word>why(?: not)?|how(?: so| come| much| many| long| often)?|when|where|who)\W*", re.IGNORECASE
)
_EXPLETIVE = re.compile(
    r"it (?:is )?(?:\w+ly |too |not )?"
    r"(?:advisable|bad|best|better|common|dangerous|easy|good|hard|important|late|likely|necessary|normal|ok|okay|possible"
    r"|recommended|safe|true|usual|worth|wrong)(?: for (?:\w+ ){1,3})? ?\b(?:to|that|if)\b"
    r"|it (?:\w+ly )?takes?\b",
    re.IGNORECASE,
)
"""An "it" that means nothing: "is it safe to ...", "how long does it take"."""
_AGE = re.compile(r"\b(?:over|under|above|below|aged?)\s+\d+s?\b", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)|\d{1,2}(?:[.:]\d\d)?\s?[ap]m|noon|midnight|bank holidays?|new year(?:['’]s)?"
    r"|boxing day|(?:in|until|till|since|from|during|by|before|after) may)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s(?P<link>for|in|during|on|at|with|among)\s+(?P<whom>\S.*)$", re.IGNORECASE)
_LINK = re.compile(r"\s(?:for|in|during|on|at|with|among|after|before|from|until)\s+(?=\S)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|them|they|this|that|these|those)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(?P<mark>[,.;:?!])\s|(?P<dots>\.{2,})|\s(?:and|or|but|if|because)\s(?P<next>\S*)", re.IGNORECASE)
_CLAUSE_STARTS = QUESTION_WORDS | AUXILIARIES | frozenset({"i", "it", "my", "they", "we", "you"})
_SENTENCE_END = re.compile(r"[.?!]+(?=\s|$)|\s*$")
_POSSESSIVES = frozenset({"its", "their", "theirs"})
_DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})
_OF_PERSONS = frozenset({"they", "their", "theirs"})
_PERSONS = GROUPS | frozenset({"patient", "patients", "people", "person", "someone"})
_BACK = frozenset({"it", "they", "them", "these", "those"}) | _POSSESSIVES


class RuleRewriter:
    """`standalone` behind the port; needs no model and never fails."""

    @property
    def name(self) -> str:
        """Names the rules."""
        return "rules"

    async def standalone(self, question: str, earlier: Sequence[str]) -> str:
        """The question as it would be asked without its conversation."""
        return standalone(question, earlier)


def standalone(question: str, earlier: Sequence[str]) -> str:
    """The question with the topic of the `earlier` ones put in; unchanged where it has its own, or they have none.

    `earlier` are questions that each stand alone, oldest first. The result is never longer than the question, the
    longest earlier one twice, and a few words.
    """
    body = _without(_OPENING, question)
    core = _without(_AND, body)
    about = subject(earlier)
    if about is None or not words(core) or len(words(question)) > _LONGEST_FOLLOW_UP:
        return question
    if bare := _BARE.fullmatch(core):
        return _asked_on(bare["word"], about) or question
    switch = _SWITCH.fullmatch(body.strip(STOPS))
    if switch and words(switch["rest"]) and not _is_clause(switch["rest"]):
        return _switched(switch["rest"].strip(STOPS), question, about)
    if words(core)[0] in PREPOSITIONS and _is_condition(core):
        return _with_condition(core.strip(STOPS), about)
    return _referring(question, about) or _of_topic(question, about) or question


def _asked_on(word: str, about: Subject) -> str | None:
    """Asks on, with a bare "why" or "when", about the whole of what was asked if that can be asked about."""
    if words(about.asked)[0] in AUXILIARIES:
        return _sentence(f"{word} {about.asked[0].lower()}{about.asked[1:]}")
    return _sentence(f"{word} {about.topic}") if about.topic else None


def _switched(rest: str, question: str, about: Subject) -> str:
    """What "what about ..." means: another aspect of the topic, for whom or when, or the same of another topic."""
    if _is_condition(rest):
        return _with_condition(rest, about)
    link = words(rest)[0] if words(rest)[0] in PREPOSITIONS else ""
    other = rest[spans(rest)[0].end() :].strip() if link else rest
    marked = redesignated(about.topic, other)
    if not marked and (not own_words(rest) or _names_aspect(rest, about)):
        return _of_topic(question, about, switched=True) or question
    if not about.topic or _is_whole(rest, about):
        return question
    tail = _TAIL.search(about.asked)
    if link and tail and tail["link"].lower() == link and without_article(about.topic) not in tail["whom"]:
        return _sentence(f"{about.asked[: tail.start()]} {rest}")
    if not marked and link not in {"", "for", "of", "about", "with"}:
        return _sentence(f"{about.asked} {rest}")
    replaced = _replaced(about.asked, about.topic, marked or other) if other else about.asked
    return question if replaced == about.asked else _sentence(replaced)


def _with_condition(condition: str, about: Subject) -> str:
    """What was asked, for others or at another time; the conditions that stood at its end give way."""
    asked = about.asked
    for link in reversed(list(_LINK.finditer(asked))):
        whom = asked[link.start() :]
        if not _is_condition(whom) or (about.topic and without_article(about.topic) in whom):
            break
        asked = asked[: link.start()]
    if words(condition)[0] in PREPOSITIONS and not _AGE.match(condition):
        return _sentence(f"{asked} {condition}")
    return _sentence(
        f"{asked} {'on' if set(words(condition)) & OCCASIONS or _DATE.search(condition) else 'for'} {condition}"
    )


def _referring(question: str, about: Subject) -> str | None:
    """The question with its first word that points back replaced by the topic; None where none does."""
    if not about.topic:
        return None
    found = spans(question)
    lower = words(question)
    for n, match in enumerate(found):
        word, following = lower[n], lower[n + 1] if n + 1 < len(lower) else ""
        before, after = question[: match.start()], question[match.end() :]
        if not _points_back(word, lower[:n], following) or _has_antecedent(before):
            continue
        if word in _OF_PERSONS and _PERSONS & set(lower[:n]):
            continue
        expletive = word == "it" and _EXPLETIVE.match(question, match.start())
        if expletive and (own_words(after) or _PRONOUN.search(after)):
            continue
        if word in _POSSESSIVES:
            end = _SENTENCE_END.search(after)
            cut = end.start() if end else len(after)
            return f"{before}the{after[:cut]} of {about.topic}{after[cut:]}"
        if word in _DEMONSTRATIVES and following in KINDS:
            after = question[found[n + 1].end() :]
        return f"{before}{about.topic}{after}"
    return _named_by_kind(question, about)


def _points_back(word: str, before: Sequence[str], following: str) -> bool:
    """Whether this word, where it stands, means something said earlier: "is *that* safe", not "so *that* I"."""
    if word in _BACK:
        return not following.isdigit()
    if word not in _DEMONSTRATIVES:
        return False
    ends_verb = bool(before) and (not following or before[-1] in AUXILIARIES | PREPOSITIONS)
    return following in KINDS or (ends_verb and (not following or following in GENERAL - ARTICLES))


def _has_antecedent(before: str) -> bool:
    """Whether the same message names something that a pronoun may mean: in an earlier clause, or with many words."""
    if len(own_words(before)) >= _SAYS_ENOUGH:
        return True
    ends = [
        match.start()
        for match in _CLAUSE.finditer(f"{before} ")
        if match["mark"]
        or match["dots"]
        or not match["next"]
        or words(match["next"])[:1] == []
        or words(match["next"])[0] in _CLAUSE_STARTS
    ]
    return bool(ends) and bool(own_words(before[: ends[-1]]))


def _named_by_kind(question: str, about: Subject) -> str | None:
    """The topic in place of its kind: of "the vaccine" for "flu vaccine", of "the disease" if nothing else is named."""
    found = spans(question)
    topic = words(about.topic)
    for article, noun in pairwise(found):
        kind = noun[0].lower()
        if article[0].lower() != "the" or kind not in KINDS:
            continue
        before, after = question[: article.start()], question[noun.end() :]
        if topic[-1] == kind or (kind not in topic and not own_words(before + after)):
            return f"{before}{about.topic}{after}"
    return None


def _of_topic(question: str, about: Subject, *, switched: bool = False) -> str | None:
    """The question with the topic at its end, where it has none of its own; None where it has, or asks about us."""
    lower = words(question)
    advice = seeks_advice(question)
    asks = advice or set(lower) & (ASPECT_NOUNS | PREDICATES | QUESTION_WORDS | {"more", "else"})
    stands = (own_words(question) and not advice) or not asks or {"you", "your", "yours"} & set(lower)
    if not about.topic or (stands and not switched):
        return None
    if lower[-1] in {"more", "else", "details"} or "know" in lower:
        link = "about"
    else:
        link = "of" if lower[-1] in ASPECT_NOUNS else "for"
    return _sentence(f"{question.rstrip(STOPS)} {link} {about.topic}", like=question)


def _is_condition(text: str) -> bool:
    """Whether it says only for whom, in which state or when."""
    others = [word for word in own_words(_DATE.sub("", _AGE.sub("", text))) if not word.isdigit()]
    return not others and bool(_AGE.search(text) or _DATE.search(text) or set(words(text)) & (GROUPS | OCCASIONS))


def _is_clause(text: str) -> bool:
    """Whether it is a whole question of its own after "and"."""
    return words(text)[0] in QUESTION_WORDS | AUXILIARIES | {"i", "you", "we", "tell"}


def _names_aspect(text: str, about: Subject) -> bool:
    """Whether it asks for something of a topic, as "the causes in Asia" does, and not for a new topic."""
    lower = [word for word in words(text) if word not in ARTICLES]
    return (
        len(lower) > 1 and lower[0] in ASPECT_NOUNS and lower[1] in PREPOSITIONS and lower[0] not in words(about.topic)
    )


def _is_whole(text: str, about: Subject) -> bool:
    """Whether it names a topic and its aspect together, as "flu symptoms" does."""
    own = {word.lower() for word in own_words(text)}
    aspects = ASPECT_NOUNS - set(words(about.topic))
    return any(topic in own and aspect in aspects for topic, aspect in pairwise(words(text)))


def _replaced(asked: str, old: str, new: str) -> str:
    """What was asked with the new topic in the old one's place, and the new one's determiner for the old one's."""
    own = words(new)[:1] != [] and words(new)[0] in DETERMINERS
    determiner = rf"(?:\b(?:{'|'.join(sorted(DETERMINERS))})\s+)?" if own else ""
    pattern = re.compile(rf"{determiner}(?<!\w){re.escape(without_article(old))}(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda _: new, asked, count=1)


def _without(opening: re.Pattern[str], text: str) -> str:
    """The text after what it opens with."""
    match = opening.match(text)
    return text[match.end() :] if match else text


def _sentence(text: str, *, like: str = "?") -> str:
    """Spaces in order, one mark at the end: a full stop where `like` ends with one, else a question mark."""
    return f"{' '.join(text.split()).rstrip(STOPS)}{'.' if like.rstrip().endswith('.') else '?'}"
