"""What counts as a courtesy, and what must not be swallowed by one."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.courtesy import CourtesyKind, courtesy
from bot.wording import wording


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hi", "greeting"),
        ("Hello there!", "greeting"),
        ("Good morning, team 👋", "greeting"),
        ("Hi, how are you?", "greeting"),
        ("¡Buenos días!", "greeting"),
        ("こんにちは", "greeting"),
        ("thanks a lot", "thanks"),
        ("ok thanks", "thanks"),
        ("OK, great.", "thanks"),
        ("Thank you so much, bye", "thanks"),
        ("Merci beaucoup !", "thanks"),
        ("bye", "goodbye"),
        ("See you later!", "goodbye"),
        ("help", "help"),
        ("Hi! What can you do?", "help"),
        ("Who are you?", "help"),
        ("what’s your name?", "help"),
        ("good bot", "thanks"),
        ("No, thanks", "thanks"),
        ("nice!", "thanks"),
        ("thanks :pray:", "thanks"),
        ("lol thanks", "thanks"),
        *(
            (text, "chat")
            for text in ["yes", "No.", "sure", "wow", "hmm", "Hmmmmm...", "yesss", "lol", "hahahaha", "omg!"]
        ),
        *((text, "chat") for text in ["never mind", "forget it", "👍", "❤️ 👍🏻", ":thumbsup:", ":+1:", "that's all"]),
    ],
)
def test_a_message_that_is_only_a_courtesy_is_answered_as_one(text: str, kind: str) -> None:
    assert courtesy(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "hi, when is the flu clinic open?",
        "thanks, and for children?",
        "thanks for the dose, is it the same at night?",
        "help with asthma inhalers",
        "who are you open for?",
        "good morning sickness remedies",
        "hello kitty plasters",
        "bye to smoking: which patches?",
        "sources",
        "forget",
        "hi 2 tablets or 3",
        "yes, and for children?",
        "yes, and today?",
        "and now?",
        "no fever",
        "stop smoking",
        "is it 4:30 or 5:30: which?",
        "right now?",
        "",
        "???",
        "+",
        "hello " * 40,
    ],
)
def test_a_message_with_anything_else_in_it_is_a_question(text: str) -> None:
    assert courtesy(text) is None


def test_every_kind_has_its_text() -> None:
    for kind in get_args(CourtesyKind):
        assert getattr(wording().courtesy, kind)


@given(st.text(max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    assert courtesy(text) in {None, *get_args(CourtesyKind)}
