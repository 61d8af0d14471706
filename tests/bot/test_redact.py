from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.redact import redacted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Write to jane.doe+x@clinic.example please", "Write to [e-mail] please"),
        ("(mail: JANE@CLINIC.EXAMPLE)?", "(mail: [e-mail])?"),
        ("@jane.doe when is it open?", "[someone] when is it open?"),
        ("<@U012AB3CD> and @someone, when?", "[someone] and [someone], when?"),
        ("Call me on +44 (0)1632 960 144.", "Call me on [number]."),
        ("My number is 01632-960144", "My number is [number]"),
        ("NHS number 943 476 5919?", "NHS number [number]?"),
        ("born 12/03/1985", "born [number]"),
        ("born 1985-03-12", "born [number]"),
        ("My name is Jane Doe and I ask when", "My name is [name] and I ask when"),
        ("my name's Jane. When?", "my name's [name]. When?"),
    ],
)
def test_what_tells_who_asked_is_hidden(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Is 0.5 mg twice a day safe at 12 years, or 2.5 to 5 mg?",
        "What is a normal 120/80 blood pressure?",
        "Does it cover E11.9 and covid-19?",
        "The figures for 2019-2020, 2019/20 and 2023 – 2024?",
        "Open on 12/03, from 9.30 to 12.00?",
        "What does a dose of 1,000 units mean?",
        "What is the name of the ward?",
        "at 5 @ home",
    ],
)
def test_what_a_question_is_about_stays(text: str) -> None:
    assert redacted(text) == text


@example("@0@0")
@given(st.text(st.sampled_from("ab @.0123456789-()+<>/:\n"), max_size=80))
def test_no_address_and_no_long_run_of_digits_is_left(text: str) -> None:
    shown = redacted(text)
    assert redacted(shown) == shown
