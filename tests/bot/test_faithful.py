"""Which rewritings of a follow-up are the person's own question, and which are another."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.faithful import faithful

if TYPE_CHECKING:
    from pathlib import Path

EARLIER = ["Is 500 mg of aspirin safe for adults?", "And ibuprofen?"]


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("is that safe in pregnancy?", "Is ibuprofen safe in pregnancy?"),
        ("And for children?", "Is ibuprofen safe for children?"),
        ("And for children?", "Is 500 mg of ibuprofen safe for children?"),
        ("why?", "Why is ibuprofen safe for adults?"),
        ("what are its side effects?", "What are ibuprofen's side effects?"),
        ("and aspirin for children?", "Is aspirin safe for children?"),
        ("Okay, and what about Warfarin?", "Is 500 mg of Warfarin safe for adults?"),
        ("What if I don't take it?", "What if I do not take ibuprofen?"),
        ("What is the capital of Peru?", "What is the capital of Peru?"),
    ],
)
def test_a_rewriting_from_the_persons_own_words_is_faithful(question: str, rewritten: str) -> None:
    assert faithful(rewritten, question, EARLIER)


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("is that safe in pregnancy?", "Is paracetamol safe in pregnancy?"),
        ("is that safe in pregnancy?", "Is ibuprofen with alcohol safe in pregnancy?"),
        ("is that safe in pregnancy?", "Is ibuprofen safe?"),
        ("is that safe in pregnancy?", "Is ibuprofen safe in pregnancy in Leeds?"),
        ("And for children?", "Is 5 mg of aspirin safe for children?"),
        ("And for children?", "Is 500 mcg of aspirin safe for children?"),
        ("And 200 mg?", "Is aspirin safe for adults?"),
        ("and warfarin?", "Is aspirin safe for adults?"),
        ("and HRT?", "Is aspirin safe for adults?"),
        ("And for Anna Keller?", "Is aspirin safe for Anna?"),
        ("and for children?", "Is aspirin not safe for children?"),
        ("what if I do not take it?", "What if I take ibuprofen?"),
        ("is that safe?", "Is flu safe?"),
        ("And for children?", "Is aspirin safe for children?"),
        ("is that safe?", "Is ibuprofen dangerous?"),
        ("Can I take it before food?", "Can I take ibuprofen after food?"),
        ("and more than that?", "And less than that of ibuprofen?"),
    ],
)
def test_a_rewriting_that_changes_adds_or_loses_something_is_not(question: str, rewritten: str) -> None:
    assert not faithful(rewritten, question, EARLIER)


def test_figures_are_compared_with_their_units_and_ranges() -> None:
    earlier = ["Is 500 mg of aspirin safe?", "And 20 mcg of warfarin?"]
    assert not faithful("Is 500 mcg of aspirin safe in pregnancy?", "is that safe in pregnancy?", earlier)
    assert not faithful("Is aspirin safe for 4 weeks, and to 2 weeks?", "and for 2 to 4 weeks?", earlier)


def test_other_languages_may_need_small_words_of_their_own() -> None:
    earlier = ["¿Cuándo abre la clínica?"]
    assert faithful("¿Cuándo abre la clínica para los niños?", "¿Y los niños?", earlier)
    assert not faithful("¿Cuándo abre la farmacia para los niños?", "¿Y los niños?", earlier)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_a_question_given_back_is_always_faithful(question: str, earlier: list[str]) -> None:
    assert faithful(question, question, earlier)


@given(st.from_regex(r"[a-z]{4,12}qz", fullmatch=True))
def test_no_made_up_word_comes_in(word: str) -> None:
    assert not faithful(f"Is {word} safe in pregnancy?", "is that safe in pregnancy?", EARLIER)


def test_right_rewritings_of_real_disease_names_are_seldom_discarded(shared: Path) -> None:
    kept = total = 0
    for line in (shared / "data/multiturn/medquad_followups.jsonl").read_text(encoding="utf-8").splitlines():
        talk = json.loads(line)
        if hashlib.sha256(talk["conv_id"].encode()).digest()[0] % 2:
            turns = talk["turns"]
            for n, turn in enumerate(turns[1:], start=1):
                total += 1
                kept += faithful(turn["rewrite"], turn["user"], [one["rewrite"] for one in turns[:n]])
    assert kept / total >= 0.95
