"""The rounds of new sentences: what the rules were widened by stays found, and the last round stays where it was."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.safety import Clear, SelfHarm, assess
from bot.safety_meaning import MeaningLayer

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.safety import Layer

ROUNDS = Path(__file__).resolve().parents[2] / "scripts" / "safety_sentences" / "rounds"
BUILT_FROM = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]
ENGLISH: Callable[[str], bool] = "en".__eq__
OTHERS: Callable[[str], bool] = "en".__ne__


def sentences(rounds: list[str], kind: str, chosen: Callable[[str], bool]) -> list[str]:
    files = [tomllib.loads((ROUNDS / f"{name}.toml").read_text(encoding="utf-8")) for name in rounds]
    return [
        text for file in files for language, kinds in file.items() if chosen(language) for text in kinds.get(kind, [])
    ]


def messages(path: str) -> dict[str, list[str]]:
    read = tomllib.loads((ROUNDS.parent / f"{path}.toml").read_text(encoding="utf-8"))
    return {section: lines.strip().splitlines() for section, lines in read.items()}


def raised(texts: list[str], *further: Layer) -> float:
    return sum(isinstance(assess(text, *further), SelfHarm) for text in texts) / len(texts)


@pytest.mark.parametrize("chosen", [ENGLISH, OTHERS], ids=["English", "others"])
def test_what_the_rules_were_widened_by_stays_found(chosen: Callable[[str], bool]) -> None:
    assert raised(sentences(BUILT_FROM, "risk", chosen)) >= 0.95


def test_the_roundabout_sentences_stay_found_and_their_twins_are_left() -> None:
    said = messages("oblique/en")
    assert raised(said["self"]) > 0.85
    assert raised(said["other"]) > 0.6
    assert raised(said["ordinary"]) < 0.03


@pytest.mark.parametrize(("language", "found"), [("ar", 0.75), ("hi", 0.35), ("ja", 0.8), ("ko", 0.8), ("zh", 0.8)])
def test_what_is_said_in_other_scripts_stays_found_and_its_twins_are_left(language: str, found: float) -> None:
    said = messages(f"voices/{language}")
    assert raised([*said["self"], *said["other"], *said["method"]]) >= found
    assert raised([*said["ordinary"], *said["distress"], *said["subject"]]) < 0.03


def test_the_last_round_which_nothing_was_made_from_stays_where_it_was_measured() -> None:
    assert raised(sentences(["last"], "risk", ENGLISH)) >= 0.88
    assert raised(sentences(["last"], "risk", OTHERS)) >= 0.65


def test_with_the_look_at_the_meaning_the_blind_rounds_stay_where_they_were_measured() -> None:
    meaning = MeaningLayer()
    assert raised(sentences(["tenth"], "risk", ENGLISH), meaning) >= 0.86
    assert raised(sentences(["tenth"], "long_risk", ENGLISH), meaning) >= 0.8
    assert raised(sentences(["eleventh"], "risk", ENGLISH), meaning) >= 0.87
    assert raised(sentences(["tenth"], "risk", OTHERS), meaning) >= 0.76
    assert raised(sentences(["eleventh"], "risk", OTHERS), meaning) >= 0.6
    assert raised(sentences(["twelfth"], "risk", OTHERS), meaning) >= 0.56
    assert raised(sentences(["ninth"], "risk", ENGLISH), meaning) >= 0.7


def test_the_look_at_the_meaning_raises_nothing_that_people_ask_in_any_language_and_hardly_a_twin() -> None:
    meaning = MeaningLayer()
    rounds = ["eleventh", "twelfth"]
    assert [one for one in sentences(rounds, "asked", lambda _: True) if meaning(one) != Clear()] == []
    twins = sentences(rounds, "twins", lambda _: True)
    assert sum(isinstance(meaning(text), SelfHarm) for text in twins) / len(twins) < 0.03


@pytest.mark.parametrize("kind", ["ordinary", "subject"])
def test_the_look_at_the_meaning_alone_raises_no_harmless_sentence_of_them(kind: str) -> None:
    meaning = MeaningLayer()
    harmless = sentences(["tenth", "ninth"], kind, ENGLISH)
    assert sum(isinstance(meaning(text), SelfHarm) for text in harmless) / len(harmless) <= 0.01


def test_hardly_any_harmless_sentence_of_any_round_is_raised() -> None:
    harmless = [
        text
        for kind in ("ordinary", "subject")
        for text in sentences([*BUILT_FROM, "last", "ninth"], kind, lambda _: True)
    ]
    assert raised(harmless) < 0.01


@pytest.mark.parametrize("name", BUILT_FROM)
def test_no_sentence_of_the_last_round_stands_in_an_earlier_one(name: str) -> None:
    def everything(chosen: str) -> set[str]:
        return {text for kind in ("risk", "ordinary", "subject") for text in sentences([chosen], kind, lambda _: True)}

    assert not everything(name) & everything("last")
