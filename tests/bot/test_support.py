"""A statement that speaks of something else is not borne, whatever it quotes."""

from __future__ import annotations

import pytest

from bot.support import is_foreign, speaks_of

QUOTE = "Bed rest may help during an acute attack."


@pytest.mark.parametrize(
    "statement", [QUOTE, "Rest in bed can ease an acute gout attack.", "En un ataque de gota ayuda reposar."]
)
def test_the_same_in_other_words_speaks_of_it(statement: str) -> None:
    assert speaks_of(statement, QUOTE, about=["Gout"])


def test_a_title_said_once_more_is_no_statement_of_the_quote() -> None:
    assert not speaks_of("Gout.", QUOTE, about=["Gout"])


@pytest.mark.parametrize(
    "statement", ["Gout is cured by onions.", "Aspirin cures cancer.", "Gout tablets cost five pounds."]
)
def test_a_title_bears_nothing_and_neither_does_prose_without_small_words(statement: str) -> None:
    assert not speaks_of(statement, QUOTE, about=["Gout"])


@pytest.mark.parametrize(
    ("statement", "evidence", "title"),
    [
        ("Aspirin is safe in pregnancy.", "Ask your midwife about aspirin.", "Is aspirin safe in pregnancy?"),
        ("Yes, you can drink alcohol.", "Alcohol makes it worse.", "Can I drink alcohol?"),
        ("Zinc cures colds.", "Zinc has been sold since 1980.", "Zinc cures colds"),
    ],
)
def test_what_only_a_title_says_or_asks_is_not_borne(statement: str, evidence: str, title: str) -> None:
    assert not speaks_of(statement, evidence, about=["Leaflet", title])


@pytest.mark.parametrize(
    "rest", ["It is addictive.", "Inject it.", "crush it and inject it", "then drink vodka", "vodka; it helps"]
)
def test_nothing_rides_on_what_is_borne(rest: str) -> None:
    assert not speaks_of(f"Rest in bed during an attack, {rest}", QUOTE)
    assert not speaks_of(f"Rest in bed during an attack. {rest}", QUOTE)


def test_a_part_of_what_is_strung_together_may_say_what_the_title_says() -> None:
    assert speaks_of("In general, rest in bed during an attack of gout, seven or 8 at most.", QUOTE, about=["Gout"])


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        (QUOTE, False),
        ("Aspirin cures cancer.", False),
        ("La cl\u00ednica abre los martes y no hace falta pedir cita.", True),
        ("Die Praxis ist am Dienstag ge\u00f6ffnet und nicht am Montag.", True),
        ("\u8bca\u6240\u5468\u4e8c\u5f00\u653e\u3002", True),
        ("5 mg", False),
    ],
)
def test_another_language_is_known_by_script_or_small_words(text: str, foreign: bool) -> None:
    assert is_foreign(text) is foreign
