"""What the document says with a reserve or on a condition is not said without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.overstated import overstated


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("The drug cures HIV.", "The drug could one day cure HIV."),
        ("It causes death.", "It can cause death."),
        ("People need surgery.", "Some people may need surgery."),
        ("People get a rash.", "A few people get a rash."),
        ("Your doctor suggests surgery.", "Your doctor might suggest surgery."),
        ("Doctors recommend bed rest.", "Doctors used to recommend bed rest."),
        ("Doctors recommend bed rest for pain.", "Doctors once recommended bed rest for pain."),
        ("Garlic cures cancer.", "Some people claim that garlic cures cancer."),
        ("Adults should take this.", "Only adults should take this."),
        ("The drug cures diabetes.", "In mice, the drug cured diabetes."),
        ("Do not have the vaccine.", "Do not have the vaccine if you are allergic to eggs."),
        ("Do not have the vaccine.", "If you are allergic to eggs, do not have the vaccine."),
        ("You can drive after a day.", "You can drive after a day unless you feel dizzy."),
        ("It is given to adults.", "It is given to adults but only under supervision."),
        ("Bring your letter.", "Bring your letter, if you had one."),
    ],
)
def test_a_reserve_or_condition_left_out_overstates(statement: str, evidence: str) -> None:
    assert overstated(statement, evidence)
    assert not overstated(evidence, evidence)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Take two tablets.", "You can take two tablets."),
        ("Possibly it causes death.", "It can cause death."),
        ("There is a risk that it causes death.", "It can cause death."),
        ("If allergic to eggs, do not have the vaccine.", "Do not have the vaccine if you are allergic to eggs."),
        ("People with an egg allergy can't have it.", "You can't have it if you have an egg allergy."),
        ("It affects the big toe.", "It usually affects the big toe."),
        ("You may go home.", "You may go home, but call if it hurts."),
        ("Take it with food.", "Take it with food. It can upset the stomach."),
        ("Bring your letter, if you had one.", "Please bring your letter, if you had one."),
    ],
)
def test_what_keeps_it_or_says_another_clause_does_not(statement: str, evidence: str) -> None:
    assert not overstated(statement, evidence)


def test_a_condition_that_the_person_said_need_not_be_said_again() -> None:
    evidence = "Do not have the vaccine if you are allergic to eggs."
    assert not overstated("Do not have the vaccine.", evidence, asked="I am allergic to eggs, can I have the vaccine?")
    assert overstated("Do not have the vaccine.", evidence, asked="Can I have the vaccine?")


@given(st.text())
def test_no_text_overstates_itself(text: str) -> None:
    assert not overstated(text, text)
