"""What a message means after a crisis in its thread, or after a question about self-harm: "I already took them"."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from bot.asking_on import asking_on
from bot.courtesy import courtesy
from bot.crisis import FOLLOW_UP
from bot.followup_words import FUNCTION
from bot.language import language_of
from bot.safety import Clear, Mention, SelfHarm, Violence, graver
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.messages import Author
    from bot.safety import SafetyVerdict
    from memory.turn import Turn

FOR = timedelta(hours=24)
TURNS = 5
"""So many turns of a person after a crisis, within that time, are read with more care."""
MENTION_TURNS = 2
"""So many turns after a question about self-harm have the lines beside them."""
LOOKED_AT = 20
"""Turns of a conversation that hold what is looked for, with other people's between them."""

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_NO_SPACES = {"zh", "ja", "ko"}
_LONGEST = 300
"""Characters of a plain question: who has much to say is not asking when the clinic opens."""
_FEWEST_WORDS, _FEWEST_CHARACTERS = 3, 5


@dataclass(frozen=True, slots=True)
class _Words:
    asks: tuple[str, ...]
    concern: tuple[str, ...]


def with_care(
    verdict: SafetyVerdict,
    text: str,
    author: Author,
    turns: Sequence[Turn],
    *,
    now: datetime,
    assess: Callable[[str], SafetyVerdict],
) -> SafetyVerdict:
    """The verdict of a message in the light of the conversation's `turns`, oldest first: the same or a graver one.

    Lately after a crisis of the same author it is `SelfHarm` unless it plainly asks about something else, or for more
    of an answer that the thread holds, and then a `Mention`, so that the lines stand beside the answer. After
    somebody's question about self-harm, which `assess` knows again, what is neither plainly about something else nor a
    courtesy is a `Mention`. Of a crisis turn nothing but its kind, author and time is there to be read.
    Nobody is answered for another's crisis. A threat stays one.
    """
    if isinstance(verdict, Violence):
        return verdict
    lately = [turn for turn in turns if now - turn.at <= FOR]
    own = [turn for turn in lately if turn.author == author.id]
    if any(turn.kind is TurnKind.CRISIS for turn in own[-TURNS:]):
        answered = any(turn.kind is TurnKind.FACT for turn in lately)
        plain = plain_question(text, author.locale) or (answered and asking_on(text) is not None)
        return graver(verdict, Mention(FOLLOW_UP) if plain else SelfHarm(FOLLOW_UP))
    if isinstance(verdict, Clear) and not courtesy(text) and not plain_question(text, author.locale):
        asked = (turn.question for turn in lately[-MENTION_TURNS:])
        if any(isinstance(assess(question), Mention) for question in asked if question):
            return Mention("follow.mention")
    return verdict


def plain_question(text: str, locale: str | None = None) -> bool:
    """Whether a message asks about something of its own that has nothing to do with harm: "When is the clinic open?".

    In a language that there are no words for, nothing is plain.
    """
    language = language_of(text, locale=locale)
    known = _known().get(language or "")
    if known is None or not text.strip() or len(text) > _LONGEST:
        return False
    said = text.casefold().replace("\u2019", "'")
    marked = said.rstrip(" .!\"'\u300d").endswith(_QUESTION_MARKS)
    if language in _NO_SPACES:
        asks = marked or any(word in said for word in known.asks)
        return asks and len(said.strip()) >= _FEWEST_CHARACTERS and not any(word in said for word in known.concern)
    words = _WORD.findall(said)
    if len(words) < _FEWEST_WORDS or not (marked or words[0] in known.asks):
        return False
    parts = {part for word in words for part in (word, *word.split("'"))}
    if any(_meets(part, concern) for part in parts for concern in known.concern):
        return False
    return language != "en" or any(word not in FUNCTION and word not in {"need", "go"} for word in words)


def _meets(word: str, pattern: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


@cache
def _known() -> dict[str, _Words]:
    lists = tomllib.loads(resources.files("bot").joinpath("data", "aftercare.toml").read_text(encoding="utf-8"))
    return {language: _Words(tuple(said["asks"]), tuple(said["concern"])) for language, said in lists.items()}
