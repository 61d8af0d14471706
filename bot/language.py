"""Which language a message is written in: by its script, then by small words, then by its author's own setting."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from functools import cache
from importlib import resources

ENGLISH = "en"
LANGUAGES = ("en", "es", "fr", "de", "pt", "it", "nl", "pl", "tr", "ar", "hi", "zh", "ja", "ko")
"""Those that can be told, and that crisis replies are written in."""

_SCRIPTS = (
    ("ko", re.compile(r"[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u0963\u0966-\u097f]")),
)
"""In this order: Japanese is written with Chinese characters too, and has signs of its own beside them."""
_NOT_ARABIC = re.compile("[\u067e\u0686\u0698\u06af\u0679\u0688\u0691\u06d2]")
"""Letters of Persian and Urdu."""
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\uff00-\uffef]")
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_TAG = re.compile(r"[a-z]{2,3}")
_READ = 2_000
"""Characters that are looked at: a language shows in its first sentences."""


def language_of(text: str, *, locale: str | None = None) -> str | None:
    """The language as two letters, None where neither the text nor the `locale` ("fr-CA") tells.

    Pure, offline, the same every time. Where a text has as many small words of one language as of another, the author's
    setting decides if it is one of them, else it is English if that is.
    """
    start = text[:_READ].casefold()
    if _NOT_ARABIC.search(start):
        return None
    for language, letters in _SCRIPTS:
        if letters.search(start):
            return language
    setting = (locale or "").replace("_", "-").partition("-")[0].casefold()
    own = setting if _TAG.fullmatch(setting) else None
    if _OTHER_LETTERS.search(start):
        return None
    scores = _scores(start)
    best = max(scores.values(), default=0)
    likely = [language for language, score in scores.items() if score == best]
    if not likely or own in likely:
        return own
    if ENGLISH in likely:
        return ENGLISH
    return likely[0] if len(likely) == 1 else own


def in_latin_letters(text: str) -> bool:
    """Whether at least half of a text's letters are Latin ones, as of English, Polish and romanised Hindi."""
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(character, "").startswith("LATIN") for character in letters)
    return 2 * latin >= len(letters)


def _scores(text: str) -> Counter[str]:
    found = Counter[str]()
    for word in _WORD.findall(text.replace("\u2019", "'")):
        for part in {word, *word.split("'")}:
            found.update(_languages().get(part, ()))
    return found


@cache
def _languages() -> dict[str, tuple[str, ...]]:
    """The languages of each small word."""
    lists = tomllib.loads(resources.files("bot").joinpath("data", "languages.toml").read_text(encoding="utf-8"))
    words = {word for listed in lists.values() for word in listed}
    return {word: tuple(language for language, listed in lists.items() if word in listed) for word in words}
