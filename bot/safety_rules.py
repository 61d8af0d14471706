"""The safety rules: read from one reviewed file a language, and applied to a message."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.safety_pattern import Pattern, Vocabulary, parse, phrase
from bot.safety_text import END, Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.safety_pattern import Part

Level = Literal["mention", "violence", "self_harm"]
_ORDER: tuple[Level, ...] = ("self_harm", "violence", "mention")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class RuleText(_Section):
    """One rule as it stands in its file.

    It holds where one of `patterns` matches and none of `unless` matches in the same sentence; where `also` is given,
    one of those must match too, anywhere in the message. `examples` must get this rule's level from the whole gate,
    `counterexamples` must not: the tests read them.
    """

    id: Annotated[str, Field(pattern=r"^(self|other|violence|mention)(\.[a-z_]+)+$")]
    level: Level
    patterns: tuple[str, ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    examples: tuple[str, ...] = Field(min_length=1)
    counterexamples: tuple[str, ...] = ()


class LanguageText(_Section):
    """One language's file.

    `lists` are words and phrases, by the name that patterns use; `spelling` maps a word to the words meant;
    `guarded` words are recognised in disguise too. `idioms` are hidden from every rule, `subjects` (suicide as a
    subject: "suicide prevention") from all but the mention rules.
    """

    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
    lists: dict[str, tuple[str, ...]] = {}
    spelling: dict[str, str] = {}
    guarded: tuple[str, ...] = ()
    idioms: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    rules: tuple[RuleText, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a message was found to be, and by which rule."""

    level: Level
    rule: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, ready to be applied."""

    id: str
    level: Level
    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    also: tuple[Pattern, ...]

    def holds(self, text: str, present: frozenset[str]) -> bool:
        """Whether the rule holds somewhere in an encoded text whose symbols are `present`."""
        if self.also and not any(one.possible(present) and one.expression.search(text) for one in self.also):
            return False
        return any(pattern.possible(present) and self._matches(pattern, text) for pattern in self.patterns)

    def _matches(self, pattern: Pattern, text: str) -> bool:
        at = 0
        while match := pattern.expression.search(text, at):
            if not self.unless:
                return True
            start, end = text.rfind(END, 0, match.start() + 1), text.find(END, match.end())
            sentence = text[max(start, 0) : end + 1]
            if not any(one.expression.search(sentence) for one in self.unless):
                return True
            at = end
        return False


class Gate:
    """All rules of all languages over one vocabulary."""

    def __init__(self, languages: Sequence[LanguageText]) -> None:
        read = [_LanguageRules(text) for text in languages]
        vocabulary = Vocabulary(parts for one in read for parts in one.all_parts())
        self._vocabulary = vocabulary
        self._reader = Reader(
            spelling={word: meant for text in languages for word, meant in text.spelling.items()},
            known=vocabulary.known,
            guarded=[word for text in languages for word in text.guarded],
        )
        self._idioms = [Pattern(parts, vocabulary) for one in read for parts in one.idioms]
        self._subjects = [Pattern(parts, vocabulary) for one in read for parts in one.subjects]
        rules = [rule for one in read for rule in one.rules(vocabulary)]
        self._rules = {level: _writer_first(rule for rule in rules if rule.level == level) for level in _ORDER}

    @property
    def known(self) -> frozenset[str]:
        """Every whole word that a rule names."""
        return self._vocabulary.known

    def rules(self) -> Iterator[Rule]:
        """Every rule, in the order in which they are tried."""
        for rules in self._rules.values():
            yield from rules

    def find(self, text: str) -> Found | None:
        """The gravest rule that holds for a message, about the writer before about others; None where none does."""
        encoded = self._vocabulary.encode(self._reader.read(text))
        mentions = _hide(encoded, self._idioms)
        persons = _hide(mentions, self._subjects)
        for level in _ORDER:
            read = mentions if level == "mention" else persons
            present = frozenset(read)
            for rule in self._rules[level]:
                if rule.holds(read, present):
                    return Found(level, rule.id)
        return None


class _LanguageRules:
    """One language's patterns, parsed but without symbols yet."""

    def __init__(self, text: LanguageText) -> None:
        self._text = text
        self._lists = {name: tuple(phrase(one) for one in entries) for name, entries in text.lists.items()}
        self.idioms = self._parsed(text.idioms)
        self.subjects = self._parsed(text.subjects)
        self._parts = [tuple(map(self._parsed, (rule.patterns, rule.unless, rule.also))) for rule in text.rules]

    def _parsed(self, patterns: Iterable[str]) -> list[tuple[Part, ...]]:
        return [parse(pattern, self._lists) for pattern in patterns]

    def all_parts(self) -> Iterator[tuple[Part, ...]]:
        """Every pattern of the file."""
        yield from self.idioms
        yield from self.subjects
        for fields in self._parts:
            for patterns in fields:
                yield from patterns

    def rules(self, vocabulary: Vocabulary) -> Iterator[Rule]:
        """The rules over a vocabulary's symbols; the id a message gets ends in the language."""
        for rule, fields in zip(self._text.rules, self._parts, strict=True):
            patterns, unless, also = (tuple(Pattern(parts, vocabulary) for parts in field) for field in fields)
            yield Rule(f"{rule.id}.{self._text.language}", rule.level, patterns, unless, also)


def _writer_first(rules: Iterable[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda rule: not rule.id.startswith("self."))


def _hide(text: str, patterns: Iterable[Pattern]) -> str:
    present = frozenset(text)
    for pattern in patterns:
        if pattern.possible(present):
            text = pattern.expression.sub(lambda match: "." * len(match[0]), text)
    return text


def read_languages() -> Iterator[LanguageText]:
    """The rule files that ship with the package. ValidationError names the file's fault."""
    folder = resources.files("bot").joinpath("data", "safety")
    for file in sorted(folder.iterdir(), key=lambda file: (file.name != "en.toml", file.name)):
        if file.name.endswith(".toml"):
            yield LanguageText.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))


@cache
def bundled() -> Gate:
    """The gate of the shipped rules, built once: some tens of milliseconds."""
    return Gate(tuple(read_languages()))
