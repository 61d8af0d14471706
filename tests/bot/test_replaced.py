"""A sentence that is the document's but for one word says something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.replaced import reordered, replaced

QUOTE = "Hyperthyroidism is treated with carbimazole tablets in adults."


@pytest.mark.parametrize(
    "statement",
    [
        "Hypothyroidism is treated with carbimazole tablets in adults.",
        "Hyperthyroidism is treated with warfarin tablets in adults.",
        "Hyperthyroidism is treated with carbimazole tablets in children.",
        "Note: hypothyroidism is treated with carbimazole tablets.",
    ],
)
def test_a_strange_word_among_the_documents_own_is_put_for_another(statement: str) -> None:
    assert replaced(statement, QUOTE, "Leaflet")


@pytest.mark.parametrize(
    ("statement", "evidence", "named"),
    [
        (QUOTE, QUOTE, ""),
        ("Graves' disease is treated with tablets.", "It is treated with tablets.", ""),
        ("Graves is treated with carbimazole tablets.", "Thyroid is treated with carbimazole tablets.", "Graves"),
        ("Ask a GP about these tablets.", "Ask a doctor about these tablets.", ""),
        ("Treatment with tablets helps adults.", "Treating with tablets helps adults.", ""),
        ("Anaemia is treated with iron tablets.", "Anemia is treated with iron tablets.", ""),
        ("People get better in two weeks.", "Most people recover within 2 weeks.", ""),
    ],
)
def test_what_the_document_says_otherwise_is_not(statement: str, evidence: str, named: str) -> None:
    assert not replaced(statement, evidence, named)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Paracetamol is safer than ibuprofen.", "Ibuprofen is safer than paracetamol."),
        ("Use ibuprofen rather than paracetamol.", "Use paracetamol rather than ibuprofen."),
        ("Take codeine but not aspirin.", "Take aspirin but not codeine."),
        ("Stop the tablets before you ask your doctor.", "Ask your doctor before you stop the tablets."),
        ("Before you ask your doctor, stop the tablets.", "Ask your doctor before you stop the tablets."),
        ("Lung cancer causes smoking.", "Smoking causes lung cancer."),
    ],
)
def test_what_stands_on_either_side_is_not_one_for_the_other(statement: str, evidence: str) -> None:
    assert reordered(statement, evidence)
    assert not reordered(evidence, evidence)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Before you stop the tablets, ask your doctor.", "Ask your doctor before you stop the tablets."),
        ("Cough and fever are signs.", "Fever and cough are signs."),
        ("Stop the tablets.", "Ask your doctor before you stop the tablets."),
    ],
)
def test_the_same_in_another_order_stands(statement: str, evidence: str) -> None:
    assert not reordered(statement, evidence)


@given(st.text())
def test_no_text_differs_from_itself(text: str) -> None:
    assert not replaced(text, text, "")
    assert not reordered(text, text)
