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
