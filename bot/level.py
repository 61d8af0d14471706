"""Questions on what is too low or too high, or how to raise or lower it: advice for the one is harm for the other."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.aspect import MOST_WORDS
from retrieval.terms import STOP_WORDS, words

_RAISE = r"(?:rais(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|boost(?:s|ed|ing)?|elevat(?:e|es|ed|ing))"
_LOWER = r"(?:lower(?:s|ed|ing)?|reduc(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|bring(?:s|ing)? down)"
_FAR = r"(?:[\w'’]+\W+){0,3}?"
_NEAR = r"[^.;:?!\n]{0,60}?"
_STATE = re.compile(r"\b(low|high)[ -]([a-z]{4,})", re.IGNORECASE)
_AIM = re.compile(rf"\b(?:how|ways?)\b.*?\b(?:({_RAISE})|({_LOWER}))\W+{_FAR}(?!your\b)([a-z]{{4,}})", re.IGNORECASE)
_DISCOURAGED = r"\b(?:avoid\w*|not|n['’]t|never|prevent\w*|stop\w*|limit\w*|without|instead of)\b"


@dataclass(frozen=True, slots=True)
class Level:
    """What tells of the level that is asked about; of a way to it, what tells of the opposite.

    A clause that warns against the way, `against`, tells of the opposite too.
    """

    same: re.Pattern[str]
    opposite: re.Pattern[str] | None = None
    against: re.Pattern[str] | None = None

    def is_missed_by(self, text: str) -> bool:
        """Whether the text does not speak of the level, or of the opposite way alone; of no way, it may answer."""
        left = self.against.sub(" ", text) if self.against else text
        if self.same.search(left):
            return False
        return self.opposite is None or left != text or self.opposite.search(left) is not None


def level_asked(question: str) -> Level | None:
    """The level that a question is about; None where it is about none, or tells a long story."""
    if len(words(question)) > MOST_WORDS:
        return None
    if (aim := _AIM.search(question)) and aim[3].lower() not in STOP_WORDS:
        verb, other = (_RAISE, _LOWER) if aim[1] else (_LOWER, _RAISE)
        noun = re.escape(aim[3])
        return Level(
            _pattern(rf"\b{verb}\W+{_FAR}{noun}"),
            _pattern(rf"\b{other}\W+{_FAR}{noun}"),
            _pattern(rf"{_DISCOURAGED}{_NEAR}\b{verb}\W+{_FAR}{noun}[^.;:?!\n]*"),
        )
    if (state := _STATE.search(question)) and state[2].lower() not in STOP_WORDS:
        return Level(_pattern(_state(state[1].lower(), state[2])))
    return None


def _state(word: str, noun: str) -> str:
    noun, prefix = re.escape(noun.rstrip("s")), "hypo" if word == "low" else "hyper"
    return rf"\b{word}[ -]{noun}|\b{noun}s?\b{_NEAR}\b{word}\b(?![ -](?:in\b|fat|salt|sodium))|\b{prefix}\w{{4,}}"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)
