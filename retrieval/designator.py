"""Names told apart by a letter or a number alone: hepatitis A and B, vitamin B12, type 2, stage IV."""

from __future__ import annotations

import re
from typing import TypeAlias

Designated: TypeAlias = tuple[str, str]
"""A noun as written, and the letter or number behind it, both in small letters: `("hepatitis", "a")`."""

_NUMBERED = frozenset({"type", "stage", "grade", "class", "phase", "group", "factor", "category", "omega"})
_LETTERED = frozenset({"hepatitis", "vitamin", "influenza", "haemophilia", "hemophilia", "type", "group"})
"""Where a small "a" behind these is no article ("how is hepatitis a spread"), it names one of them."""
_ROMAN = {
    "i": "1",
    "ii": "2",
    "iii": "3",
    "iv": "4",
    "v": "5",
    "vi": "6",
    "vii": "7",
    "viii": "8",
    "ix": "9",
    "x": "10",
}
_ARTICLES = frozenset({"i", "a", "s", "t"})
"""Single small letters that are words, or the rests of words, behind any noun."""
_BETWEEN = frozenset({"and", "or", "to", "through", ",", "/", "virus", "viruses"})
_NO_NOUNS = frozenset(
    """
    about after also because before been could does from have having just like must need only over should some take than
    that them then they this very want were what when where which whom will with without would your
    """.split()  # noqa: SIM905 - a wall of quotes is harder to read and to mend
)
_TOKEN = re.compile(r"[^\W_]+(?:-(?=[a-z]{3}))?|[^\w\s-]")
"""A word, or a mark. The "D" of "vitamin D-dependent rickets" is taken with its hyphen, and so names no vitamin."""
_MARK = re.compile(r"[^\W\d_]\d{0,2}|\d{1,2}|[IVX]{2,4}")


def designated(question: str) -> list[Designated]:
    """The names in a question that a letter or number tells apart from others, each once, in order.

    A number counts behind words such as "type" alone, since any noun may stand before one ("for adults 60").
    """
    tokens = ["", "", "", *_TOKEN.findall(question), ""]
    shouted = question.isupper()
    found: dict[Designated, None] = {}
    for n in range(3, len(tokens) - 1):
        noun, mark = tokens[n - 1].lower(), tokens[n]
        if not _MARK.fullmatch(mark) or shouted or not noun.isalpha():
            continue
        numbered = noun in _NUMBERED and (mark.isdecimal() or (mark.isupper() and mark.lower() in _ROMAN))
        named = mark[0].isalpha() and len(noun) > 3 and noun not in _NO_NOUNS and _is_name(tokens, n)
        if numbered or named:
            found[noun, mark.lower()] = None
    return list(found)


def names(text: str, name: Designated) -> bool:
    """Whether the text names it, by itself or in a list: "hepatitis B and C" names hepatitis C, "type II" type 2."""
    tokens = _TOKEN.findall(text)
    noun, mark = name[0].rstrip("s"), _plain(name)
    for n, token in enumerate(tokens):
        if token.lower().rstrip("s") != noun:
            continue
        for following in tokens[n + 1 :]:
            if _MARK.fullmatch(following) and following not in _ARTICLES:
                if _plain((name[0], following.lower())) == mark:
                    return True
            elif following.lower() not in _BETWEEN:
                break
    return False


def _is_name(tokens: list[str], n: int) -> bool:
    """Whether the letter there is a name's, and neither the article nor "I"."""
    mark, noun = tokens[n], tokens[n - 1].lower()
    if mark == "a":
        asks_whether = tokens[n - 2].lower() in {"is", "are", "was"} and tokens[n - 3].lower() not in {"how", "what"}
        return noun in _LETTERED and (not asks_whether or not tokens[n + 1].isalpha())
    return mark not in _ARTICLES | {"I"}


def _plain(name: Designated) -> str:
    noun, mark = name
    return _ROMAN.get(mark, mark) if noun.rstrip("s") in _NUMBERED else mark
