"""The gate that every message passes first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Clear:
    """Nothing to see to."""

    rule: str = "clear"


@dataclass(frozen=True, slots=True)
class Mention:
    """Self-harm as a subject, with nobody at risk in sight: answered, with the lines attached outside the text."""

    rule: str


@dataclass(frozen=True, slots=True)
class SelfHarm:
    """Someone may be at risk now, the writer or a person they speak of."""

    rule: str


@dataclass(frozen=True, slots=True)
class Violence:
    """A threat to others, or a request to help harm them."""

    rule: str


SafetyVerdict: TypeAlias = Clear | Mention | SelfHarm | Violence

Layer: TypeAlias = Callable[[str], SafetyVerdict]
"""Anything else that judges a message, a classifier for instance."""


class SecondLook(Protocol):
    """A model that is asked beside the search. It may raise a verdict; its failure changes nothing."""

    @property
    def name(self) -> str:
        """What looks, as traces give it."""
        ...

    async def look(self, text: str) -> SafetyVerdict:
        """Its verdict on one message, within a few seconds. It may raise anything."""
        ...


def assess(text: str, *further: Layer) -> SafetyVerdict:
    """The verdict on one message: pure, offline, the same every time, in time linear in the text.

    The shipped rules judge first, then the shipped classifier; it and `further` layers may raise the verdict, never
    lower it. It raises only where the gate itself is broken (a rule file that cannot be read, a layer that fails): the
    caller then takes the safe branch. A weights file that cannot be read leaves the rules alone.
    """
    from bot.safety_rules import bundled  # pydantic and numpy are loaded with the first message, not the import

    words = bundled().read(text)
    verdict = _by_rules(words)
    if isinstance(verdict, Clear | Mention):  # it has learned nothing of violence: a threat stays one
        verdict = graver(verdict, _by_classifier(words))
    for layer in further:
        verdict = graver(verdict, layer(text))
    return verdict


def graver(one: SafetyVerdict, other: SafetyVerdict) -> SafetyVerdict:
    """The verdict that asks for more care; `one` where they ask for the same."""
    return other if _gravity(other) > _gravity(one) else one


def by_rules(text: str) -> SafetyVerdict:
    """What the rules alone say."""
    from bot.safety_rules import bundled

    return _by_rules(bundled().read(text))


def by_classifier(text: str) -> SafetyVerdict:
    """What the classifier alone says."""
    from bot.safety_rules import bundled

    return _by_classifier(bundled().read(text))


def _by_rules(words: list[str]) -> SafetyVerdict:
    from bot.safety_rules import bundled

    found = bundled().find_in(words)
    if found is None:
        return Clear()
    match found.level:
        case "self_harm":
            return SelfHarm(found.rule)
        case "violence":
            return Violence(found.rule)
        case "mention":
            return Mention(found.rule)
        case _ as never:
            assert_never(never)


def _by_classifier(words: list[str]) -> SafetyVerdict:
    from bot.safety_classifier import bundled

    classifier = bundled()
    rule = classifier.find(words) if classifier else None
    if rule is None:
        return Clear()
    return Mention(rule) if rule.startswith("mention.") else SelfHarm(rule)


def _gravity(verdict: SafetyVerdict) -> int:
    match verdict:
        case Clear():
            return 0
        case Mention():
            return 1
        case Violence():
            return 2
        case SelfHarm():
            return 3
        case _ as never:
            assert_never(never)
