"""The safety rules at work: the gravest that holds for a message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.language import language_of
from bot.safety_clause import Clause, Encoded, Search
from bot.safety_files import read_languages
from bot.safety_pattern import Pattern, Vocabulary, parse, phrase
from bot.safety_text import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.safety_files import LanguageText, Level
    from bot.safety_pattern import Part

_ORDER: tuple[Level, ...] = ("self_harm", "violence", "mention")

_TELLING = 300
"""Words that the language is told by."""


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
    clause: Clause
    also: Clause
    never: Clause

    def stands(self, message: Encoded) -> bool:
        """Whether the rest of a message lets the rule hold, once its clause does."""
        if self.also.patterns and not self.also.holds(message):
            return False
        return not self.never.holds(message)


@dataclass(frozen=True, slots=True)
class Hints:
    """Weak signals that add up to a writer at risk."""

    language: str
    threshold: int
    writer: Clause
    weights: tuple[int, ...]
    signals: Search

    @property
    def rule(self) -> str:
        """The rule's id."""
        return f"self.hints.{self.language}"

    def holds(self, message: Encoded, words: Sequence[str]) -> bool:
        """Whether the writer speaks of themselves, in this language for all one can tell, and the signals that hold
        reach the threshold.
        """
        if not self.writer.holds(message):
            return False
        if sum(self.weights[number] for number in self.signals.holding(message)) < self.threshold:
            return False
        return language_of(" ".join(words[:_TELLING])) in (self.language, None)


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
        self._idioms = Clause(tuple(Pattern(parts, vocabulary) for one in read for parts in one.idioms))
        self._subjects = Clause(tuple(Pattern(parts, vocabulary) for one in read for parts in one.subjects))
        self._hiding = Search([self._idioms]), Search([self._subjects])
        rules = [rule for one in read for rule in one.rules(vocabulary)]
        self._rules = {level: _writer_first(rule for rule in rules if rule.level == level) for level in _ORDER}
        self._search = {level: Search([rule.clause for rule in rules]) for level, rules in self._rules.items()}
        self._hints = [hints for one in read for hints in one.hints(vocabulary)]
        vocabulary.settle()

    @property
    def known(self) -> frozenset[str]:
        """Every whole word that a rule names."""
        return self._vocabulary.known

    def clauses(self) -> Iterator[Clause]:
        """Everything that is searched for."""
        yield from (self._idioms, self._subjects)
        for rules in self._rules.values():
            for rule in rules:
                yield from (rule.clause, rule.also, rule.never)
        for hints in self._hints:
            yield from (hints.writer, *hints.signals.clauses)

    def read(self, text: str) -> list[str]:
        """The words of a message as every layer reads them, with `END` or `BREAK` where sentences or lines end."""
        return self._reader.read(text)

    def find(self, text: str) -> Found | None:
        """The gravest rule that holds for a message, about the writer before about others; None where none does."""
        return self.find_in(self.read(text))

    def find_in(self, words: Sequence[str]) -> Found | None:
        """The same for the words of a message that has been read."""
        idioms, subjects = self._hiding
        whole = Encoded(self._vocabulary.encode(words), self._vocabulary.keys).without(idioms)
        lines = whole.by_line().without(idioms)
        alone = lines, lines.without(subjects)
        readings = [alone] if whole is lines else [alone, (whole, whole.without(subjects))]
        for level in _ORDER:
            for mentions, persons in readings:
                message = mentions if level == "mention" else persons
                for number in self._search[level].holding(message):
                    rule = self._rules[level][number]
                    if rule.stands(alone[level != "mention"]):
                        return Found(level, rule.id)
            if level == "self_harm":
                for hints in self._hints:
                    if hints.holds(alone[1], words):
                        return Found(level, hints.rule)
        return None


class _LanguageRules:
    """One language's patterns, parsed but without symbols yet."""

    def __init__(self, text: LanguageText) -> None:
        self._text = text
        self._read: dict[str, Part] = {}
        self._lists = {name: tuple(phrase(one) for one in entries) for name, entries in text.lists.items()}
        self.idioms = self._parsed(text.idioms)
        self.subjects = self._parsed(text.subjects)
        self._parts = [
            tuple(map(self._parsed, (rule.patterns, rule.unless, rule.also, rule.never))) for rule in text.rules
        ]
        self._writer = self._parsed(text.hints.writer if text.hints else ())
        signals = text.hints.signals if text.hints else ()
        self._signals = [(self._parsed(signal.patterns), self._parsed(signal.unless)) for signal in signals]

    def _parsed(self, patterns: Iterable[str]) -> list[tuple[Part, ...]]:
        return [parse(pattern, self._lists, self._read) for pattern in patterns]

    def all_parts(self) -> Iterator[tuple[Part, ...]]:
        """Every pattern of the language."""
        yield from (*self.idioms, *self.subjects, *self._writer)
        for fields in (*self._parts, *self._signals):
            for patterns in fields:
                yield from patterns

    def rules(self, vocabulary: Vocabulary) -> Iterator[Rule]:
        """The rules over a vocabulary's symbols; the id a message gets ends in the language."""
        for rule, fields in zip(self._text.rules, self._parts, strict=True):
            patterns, unless, also, never = (_built(field, vocabulary) for field in fields)
            name = f"{rule.id}.{self._text.language}"
            yield Rule(name, rule.level, Clause(patterns, unless), Clause(also), Clause(never))

    def hints(self, vocabulary: Vocabulary) -> Iterator[Hints]:
        """The hints over a vocabulary's symbols, if the language has any."""
        if not self._text.hints:
            return
        clauses = [Clause(*(_built(field, vocabulary) for field in fields)) for fields in self._signals]
        weights = tuple(signal.weight for signal in self._text.hints.signals)
        writer = Clause(_built(self._writer, vocabulary))
        yield Hints(self._text.language, self._text.hints.threshold, writer, weights, Search(clauses))


def _built(patterns: Iterable[tuple[Part, ...]], vocabulary: Vocabulary) -> tuple[Pattern, ...]:
    return tuple(Pattern(parts, vocabulary) for parts in patterns)


def _writer_first(rules: Iterable[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda rule: not rule.id.startswith("self."))


@cache
def bundled() -> Gate:
    """The gate of the shipped rules, built once: one or two seconds."""
    return Gate(tuple(read_languages()))
