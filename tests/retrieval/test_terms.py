from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.terms import RAREST, fold, identifiers, phrases, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

VOCABULARY = """
    vaccination vaccines vaccinated epidemiology biopsies biopsy possibly assembly bubbly logy oncologic tetralogy
    diabetes diabetic allergies allergic pregnancies pregnant breathing breathed dose doses dosing pills pill
    agreed plastered motoring conflated troubling sized hopping tanned falling hissing fizzed failing filing happy sky
    relational conditional rational valency digitizer conformably radically differently vileness analogously
    vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility
    triplicate formative formalize electricity electrical hopeful goodness revival allowance inference airliner
    gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologous communism activate
    angularity effective bowdlerize probate rate cease controlling rolling is as be eyes toes yes ying
    b12 ser1177 hba1c 2026 müller naïve größe œdème 流感 вирус
"""


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The FLU clinic", ["the", "flu", "clinic"]),
        ("naïve Größe ﬁve SpO₂", ["naive", "grosse", "five", "spo2"]),
        ("inflam\u00admation", ["inflammation"]),
        ("covid-19, il-6 and E11.9", ["covid", "19", "il", "6", "and", "e11", "9"]),
        ("0.5 mg, 0.5mg, 10.5 MG", ["0.5", "mg", "0.5", "mg", "10.5", "mg"]),
        ("5 µg and 5 μg", ["5", "μg", "and", "5", "μg"]),
        ("1,000 mg of 12,500.5", ["1000", "mg", "of", "12500.5"]),
        ("on 12.03.2024, in 1.2.3", ["on", "12", "03", "2024", "in", "1", "2", "3"]),
        ("At 9.", ["at", "9"]),
        ("snake_case __init__", ["snake", "case", "init"]),
        ("", []),
    ],
)
def test_words_are_folded(text: str, folded: list[str]) -> None:
    assert words(text) == folded


@given(st.text(max_size=60))
@example("0.5mg")
@example("\ufdfa")
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert words(" ".join(words(text))) == words(text)


@given(st.text(st.characters(), max_size=60))
def test_words_hold_letters_digits_and_decimal_points_only(text: str) -> None:
    assert all(part.isalnum() for word in words(text) for part in word.split("."))


def stems_of_fts5(vocabulary: Iterable[str]) -> dict[str, str]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
    listed = sorted({word for word in vocabulary if "." not in word})
    connection.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(listed))
    stems = {listed[row]: term for row, term in connection.execute("SELECT doc, term FROM v")}
    connection.close()
    return stems


def test_stems_are_those_of_fts5() -> None:
    expected = stems_of_fts5(words(VOCABULARY))
    assert {word: stem(word) for word in expected} == expected


def test_stems_are_those_of_fts5_for_all_words_of_real_pages(shared: Path) -> None:
    pages = sorted((shared / "data" / "corpus" / "docs").glob("*/*.md"))[::10]
    expected = stems_of_fts5(word for page in pages for word in words(page.read_text(encoding="utf-8")))
    assert len(expected) > 5000
    assert {word: stem(word) for word in expected} == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What are the side effects of the flu vaccine?", ["side", "effect", "flu", "vaccin"]),
        ("Can I get my vaccines, vaccine or vaccination?", ["vaccin"]),
        ("Is vitamin D good for me?", ["vitamin", "d", "good"]),
        ("Who are you?", ["who", "ar", "you"]),
        ("", []),
    ],
)
def test_terms_are_what_a_question_is_about(question: str, expected: list[str]) -> None:
    assert terms(question) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is COVID-19 like IL-6?", ["covid-19", "il-6"]),
        ("Phosphorylation at Ser1177", ["ser1177"]),
        ("Code E11.9.", ["e11.9"]),
        ("0.5 mg, 0.5mg or 1,000 mg", ["0.5 mg", "1000 mg"]),
        ("a pressure of 120/80", ["120/80"]),
        ("vitamin B12 and HbA1c", ["b12", "hba1c"]),
        ("a p of 0.05", ["0.05"]),
        ("COVID\u201119", ["covid‐19"]),
        ("and/or a follow-up in 2026", []),
        ("", []),
    ],
)
def test_identifiers_are_kept_whole(text: str, expected: list[str]) -> None:
    assert identifiers(text) == expected


def everywhere(_: str) -> float:
    return 0.01


def test_words_and_whole_identifiers_are_searched_before_their_parts() -> None:
    assert phrases("Does IL-6 rise in sepsis?", everywhere) == (
        [("rise",), ("sepsis",), ("il", "6"), ("il6",)],
        [("il",), ("6",)],
    )


def test_a_long_part_of_an_identifier_is_a_word_of_its_own() -> None:
    first, then = phrases("covid-19", everywhere)
    assert first == [("covid",), ("covid", "19"), ("covid19",)]
    assert then == [("19",)]


def test_words_that_stand_nowhere_or_nearly_everywhere_are_left_out() -> None:
    shares = {"patient": 0.6, "asthma": 0.05}
    assert phrases("patient with asthma zebra", lambda term: shares.get(term, 0.0)) == ([("asthma",)], [])
    assert phrases("the patient", lambda term: shares.get(term, 0.0)) == ([("patient",)], [])


def test_of_a_long_question_the_rarest_words_are_kept_in_their_order() -> None:
    question = " ".join(f"zebra{chr(97 + number)}" for number in range(RAREST + 5))
    shares = {stem(word): (number + 1) / 1000 for number, word in enumerate(question.split())}
    first, _ = phrases(question, lambda term: shares[term])
    assert [word for (word,) in first] == question.split()[:RAREST]


def test_two_forms_of_a_word_are_searched_once() -> None:
    assert phrases("vaccine vaccines", everywhere) == ([("vaccine",)], [])


def test_a_question_of_function_words_is_searched_as_it_is() -> None:
    assert phrases("who are you", everywhere) == ([("who",), ("are",), ("you",)], [])


def test_a_letter_that_tells_apart_is_searched_for_with_its_noun() -> None:
    assert ("hepatitis", "a") in phrases("How is hepatitis A spread?", lambda _: 0.01)[0]
    assert ("hepatitis", "a") not in phrases("Is hepatitis a virus?", lambda _: 0.01)[0]
