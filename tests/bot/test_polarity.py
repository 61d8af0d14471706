"""No is not yes, and less is not more, clause by clause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.polarity import contradicts, negated


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Children should come.", "Children should not come."),
        ("Children should not come.", "Children should come."),
        ("Stop taking it.", "Do not stop taking it."),
        ("You can drive home.", "You can't drive home."),
        ("You can drive home.", "You cannot drive home."),
        ("It never hurts.", "It hurts."),
        ("Take it if a doctor says so.", "Take it unless a doctor says so."),
        ("It is still used.", "It is no longer used."),
        ("Take it with food.", "Take it without food."),
        ("It is uncommon.", "It is not uncommon."),
        ("It affects not only the lungs.", "It affects only the lungs."),
        ("You can use aspirin.", "You can avoid aspirin."),
        ("It lowers the risk.", "It raises the risk."),
        ("Take it after meals.", "Take it before meals."),
        ("It is rarely fatal.", "It is often fatal."),
        ("It is safe in pregnancy.", "It is unsafe in pregnancy."),
        ("You must stay in bed.", "You may stay in bed."),
        ("All of them recover.", "Some of them recover."),
        ("Take it daily, and stop if it hurts.", "Take it daily, and do not stop if it hurts."),
        ("Always, nothing is found.", "Sometimes, nothing is found."),
        ("Do not take up to 8 tablets.", "Do not take more than 8 tablets."),
        ("Children should not have at least 5 ml.", "Children should not have less than 5 ml."),
        ("They should not have no more than two drinks.", "They should have no more than two drinks."),
        ("Give zinc under 16.", "Do not give zinc under 16."),
        ("For babies younger than 6 months.", "Not for babies younger than 6 months."),
        ("There is no doubt that zinc prevents colds.", "There is no evidence that zinc prevents colds."),
        ("There is evidence that zinc prevents colds.", "There is little evidence that zinc prevents colds."),
        ("You should not hesitate to stop it.", "You should not stop it."),
        ("You should not only stop it.", "You should not stop it."),
        ("Without delay, you should stop it.", "You should not stop it."),
        ("It prevents colds.", "It is unlikely to prevent colds."),
        ("It prevents colds.", "It fails to prevent colds."),
        ("Zinc cures colds.", "It is a myth that zinc cures colds."),
        ("It has fibre.", "It lacks fibre."),
        ("It is indicated in pregnancy.", "It is contraindicated in pregnancy."),
        ("Come after 48 hours.", "Come within 48 hours."),
        ("Have the test after 12 weeks.", "Have the test by 12 weeks."),
        ("We are open from 5 pm.", "We are open until 5 pm."),
        ("The scan is painful.", "The scan is painless."),
        ("It fell by 20%.", "It fell from 30% to 20%."),
        ("Hypoglycaemia needs sugar.", "Hyperglycaemia needs sugar."),
        ("Exhale the steam.", "Inhale the steam."),
        ("It is harmless to mix them.", "It is dangerous to mix them."),
    ],
)
def test_what_says_the_opposite_contradicts(statement: str, evidence: str) -> None:
    assert contradicts(statement, evidence)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Children shouldn\u2019t come.", "Children should not come."),
        ("If it hurts, do not move.", "Do not move if it hurts."),
        ("You may go home.", "You may go home, but do not drive."),
        ("At most 5 mg is given.", "No more than 5 mg is given."),
        ("Take no more than 8 tablets.", "Do not take more than 8 tablets."),
        ("Take it for at most 3 days.", "Do not take it for more than 3 days."),
        ("The maximum dose is 40 mg.", "The dose should not exceed 40 mg."),
        ("It affects the big toe.", "It usually affects the big toe."),
        ("No. 5 is the ward.", "Number 5 is the ward."),
        ("It opens at 9 am and closes at noon.", "It is open from 9 am to noon."),
        ("Call 999.", "Do not hesitate to call 999."),
        ("Nothing of the kind.", "Bring your card."),
        ("La cl\u00ednica no abre.", "The clinic is open."),
    ],
)
def test_what_says_the_same_or_nothing_of_it_does_not(statement: str, evidence: str) -> None:
    assert not contradicts(statement, evidence)


CLAUSES = [
    "you should not come",
    "take it daily",
    "it is safe",
    "unless it hurts",
    "children never need it",
    "it helps",
]


@given(st.lists(st.sampled_from(CLAUSES), min_size=1, max_size=5, unique=True), st.data())
def test_no_order_of_its_clauses_contradicts_a_text(clauses: list[str], data: st.DataObject) -> None:
    assert not contradicts(", ".join(data.draw(st.permutations(clauses))), ", ".join(clauses))


@given(st.text())
def test_no_text_contradicts_itself(text: str) -> None:
    assert not contradicts(text, text)


def test_a_limit_denies_nothing() -> None:
    assert not negated("no more than 5 mg")
    assert negated("no more visits")
