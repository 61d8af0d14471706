"""The safety rules as they stand in their reviewed files: one language in one file or several."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from itertools import product
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Level = Literal["mention", "violence", "self_harm"]
_CHOICE = re.compile(r"\(([^()]*)\)")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class RuleText(_Section):
    """One rule as it stands in its file.

    It holds where one of `patterns` matches and none of `unless` matches in the same sentence; where `also` is given,
    one of those must match too, and none of `never` may, anywhere in the message. `examples` must get this rule's
    level from the whole gate, `counterexamples` must not: the tests read them.
    """

    id: Annotated[str, Field(pattern=r"^(self|other|violence|mention)(\.[a-z_]+)+$")]
    level: Level
    patterns: tuple[str, ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    examples: tuple[str, ...] = Field(min_length=1)
    counterexamples: tuple[str, ...] = ()


class SignalText(_Section):
    """A hint that is not enough alone: worth `weight` once a message, however often it stands there."""

    id: Annotated[str, Field(pattern=r"^[a-z_]+$")]
    weight: Annotated[int, Field(ge=-5, le=5)]
    patterns: tuple[str, ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()


class HintsText(_Section):
    """Hints that add up: a message with one of `writer` in it, and `threshold` or more, is about a writer at risk."""

    threshold: Annotated[int, Field(ge=1)]
    writer: tuple[str, ...] = Field(min_length=1)
    signals: tuple[SignalText, ...] = Field(min_length=1)
    examples: tuple[str, ...] = Field(min_length=1)
    counterexamples: tuple[str, ...] = Field(min_length=1)


class LanguageText(_Section):
    """One language's file, or all its files joined.

    `lists` are words and phrases, by the name that patterns use; of an entry with choices in parentheses,
    "(|un)sure(ly|ness)", every form that they give. `spelling` maps a word to the words meant;
    `guarded` words are recognised in disguise too. `idioms` are hidden from every rule, `subjects` (suicide as a
    subject: "suicide prevention") from all but the mention rules.
    """

    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
    lists: dict[str, tuple[str, ...]] = {}
    spelling: dict[str, str] = {}
    guarded: tuple[str, ...] = ()
    idioms: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    rules: tuple[RuleText, ...] = ()
    hints: HintsText | None = None

    @field_validator("lists")
    @classmethod
    def _spelled_out(cls, lists: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(form for entry in entries for form in forms(entry)) for name, entries in lists.items()}


def forms(entry: str) -> Iterator[str]:
    """Every form of a list's entry. ValueError where its parentheses do not close."""
    pieces = _CHOICE.split(entry)
    if any(mark in piece for piece in pieces[::2] for mark in "()"):
        raise ValueError(f"an open parenthesis in {entry!r}")
    choices = [piece.split("|") if number % 2 else [piece] for number, piece in enumerate(pieces)]
    yield from map("".join, product(*choices))


def read_languages() -> Iterator[LanguageText]:
    """The rule files that ship with the package, English first. ValidationError or ValueError names a file's fault."""
    folder = resources.files("bot").joinpath("data", "safety")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    texts = [LanguageText.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))) for file in files]
    for language in sorted({text.language for text in texts}, key=lambda language: (language != "en", language)):
        yield joined([text for text in texts if text.language == language])


def joined(texts: Sequence[LanguageText]) -> LanguageText:
    """One text of several files of a language. ValueError where two of them give the same list, word or hints."""
    names = [name for text in texts for name in _named(text)]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"in two files of the language {texts[0].language!r}: {', '.join(sorted(twice))}")
    return LanguageText(
        language=texts[0].language,
        lists={name: entries for text in texts for name, entries in text.lists.items()},
        spelling={word: meant for text in texts for word, meant in text.spelling.items()},
        guarded=tuple(word for text in texts for word in text.guarded),
        idioms=tuple(idiom for text in texts for idiom in text.idioms),
        subjects=tuple(subject for text in texts for subject in text.subjects),
        rules=tuple(rule for text in texts for rule in text.rules),
        hints=next((text.hints for text in texts if text.hints), None),
    )


def _named(text: LanguageText) -> Iterator[str]:
    yield from (f"the list {name!r}" for name in text.lists)
    yield from (f"the spelling of {word!r}" for word in text.spelling)
    yield from (f"the rule {rule.id!r}" for rule in text.rules)
    if text.hints:
        yield "hints"
