"""Names that differ in a number or a letter: "type 1 diabetes", "stage 3 kidney disease", "hepatitis B"."""

from __future__ import annotations

import re

from bot.followup_words import MARKED
from bot.topic import MARK, is_mark, without_article

_MARK_IN_NAME = re.compile(r"(?:\A|(?<=\s))\d{1,2}[a-z]?(?!\w)|(?<=\w\s)(?:[IVX]{1,4}|[A-Z])(?!\w)")


def redesignated(topic: str, said: str) -> str | None:
    """The topic with what was said in place of its mark: "type 2" of "type 1 diabetes"; put to it where it has none.

    None where something else is named, or where a number alone has none to take the place of.
    """
    *named, mark = without_article(said).split() or [""]
    if not topic or not is_mark(mark):
        return None
    if named:
        return _named(topic, " ".join(named), mark)
    if marks := list(_MARK_IN_NAME.finditer(topic)):
        return f"{topic[: marks[-1].start()]}{mark}{topic[marks[-1].end() :]}"
    return f"{topic} {mark}" if mark.isalpha() else None


def _named(topic: str, name: str, mark: str) -> str | None:
    """The same of a name with its mark: in the place of that name with another one, or of the plural of its noun."""
    is_kind = name.lower() in MARKED
    plural = rf"(?:\d+\s+)?{name}s\b|" if is_kind else ""
    held = re.compile(rf"(?<!\w)(?:{plural}{re.escape(name)}\s+{MARK}(?!\w))", re.IGNORECASE)
    if held.search(topic):
        return held.sub(lambda _: f"{name} {mark}", topic, count=1)
    return f"{name} {mark} {without_article(topic)}" if is_kind else None
