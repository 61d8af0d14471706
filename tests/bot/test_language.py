"""Which language a message is in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language import language_of

if TYPE_CHECKING:
    from pathlib import Path

SAID = {
    "en": "Where can I find the leaflet on the flu?",
    "es": "¿Dónde está el folleto de la gripe?",
    "fr": "Où est la brochure sur la grippe ?",
    "de": "Wo finde ich das Merkblatt zur Grippe?",
    "pt": "Onde está o folheto da gripe?",
    "it": "Dove si trova il foglio sull'influenza?",
    "nl": "Waar vind ik de folder over de griep?",
    "pl": "Gdzie jest ulotka o grypie?",
    "tr": "Grip broşürü nerede, bir bakar mısın?",
    "ar": "أين نشرة الإنفلونزا؟",
    "hi": "फ़्लू का पर्चा कहाँ है?",
    "zh": "流感的传单在哪里？",
    "ja": "インフルエンザの冊子はどこですか。",
    "ko": "독감 안내문은 어디에 있나요?",
}


@pytest.mark.parametrize(("language", "text"), SAID.items())
def test_each_language_is_told_whatever_the_author_has_set(language: str, text: str) -> None:
    assert language_of(text) == language
    assert language_of(text, locale="fi-FI") == language


@pytest.mark.parametrize(
    ("text", "locale", "language"),
    [
        ("paracetamol", "fr-CA", "fr"),
        ("paracetamol", None, None),
        ("", "pt_BR", "pt"),
        ("no", "es-MX", "es"),
        ("no", "it", "it"),
        ("Где поликлиника?", None, None),
        ("क्लिनिक। where is the clinic?", None, "hi"),
        ("klinik kahaan hai\u0964", None, None),
        ("کجاست مطب پزشک؟", None, None),
    ],
)
def test_where_the_text_does_not_tell_the_author_does(text: str, locale: str | None, language: str | None) -> None:
    assert language_of(text, locale=locale) == language


@given(st.text(), st.one_of(st.none(), st.text(max_size=12)))
def test_nothing_breaks_it(text: str, locale: str | None) -> None:
    found = language_of(text, locale=locale)
    assert found is None or found


def test_real_messages_are_told(shared: Path) -> None:
    lines = (shared / "data" / "safety" / "messages.jsonl").read_text(encoding="utf-8").splitlines()
    messages = [(one["lang"][:2], one["text"]) for one in map(json.loads, lines)]
    known = [(language, text) for language, text in messages if language in SAID]
    right = sum(language_of(text) == language for language, text in known)
    assert right / len(known) > 0.97
    assert not any(language_of(text) for language, text in messages if language in {"ru", "bn", "th"})
