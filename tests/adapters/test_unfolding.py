"""An answer on a terminal while it comes to stand: what a person reads in the end."""

from __future__ import annotations

import os
import pty
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.app import utc_now
from adapters.console import Unfolding, answered, message, rendered
from bot.messages import Reply, Source, TurnKind
from bot.wording import wording

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Show

WORDS = wording()
SOURCE = Source(1, "d#1", "Flu clinic", "https://larkfield.example/flu", "", "Open on Tuesdays.", ("keyword",), 1, 1)
OPEN = "The flu clinic is open on Tuesdays from 9 am to 12 noon, in Room 4 on the ground floor."
REPLY = Reply(TurnKind.FACT, f"{OPEN} Bring your card. [1]", "t", (SOURCE,), confidence=0.9)


def screen(reply: Reply, *shown: str, width: int = 88) -> str:
    written: list[str] = []
    unfolding = Unfolding(WORDS, written.append, width=width)
    for text in shown:
        unfolding.show(text)
    return "".join([*written, unfolding.rest(reply)])


SENTENCE = st.lists(st.text("ab-*[].,:é\u200b\x1b", min_size=1, max_size=30), min_size=1, max_size=6).map(" ".join)
GAP = st.sampled_from([" ", "\n", "\n\n", " [1] ", " [2]\n- "])


@given(st.lists(st.tuples(SENTENCE, GAP), min_size=1, max_size=6), st.data())
def test_an_answer_shown_bit_by_bit_reads_as_one_shown_at_once(
    pieces: list[tuple[str, str]], data: st.DataObject
) -> None:
    beginnings, text = [], ""
    for sentence, gap in pieces:
        beginnings.append(text + sentence)
        text += sentence + gap
    reply = Reply(TurnKind.FACT, f"{text.rstrip()} [3]", "t", (SOURCE,), confidence=0.9)
    some = [one for one in beginnings if data.draw(st.booleans())]
    width = data.draw(st.integers(40, 100))
    assert screen(reply, *some, width=width) == rendered(reply, WORDS, width=width)


def test_each_bit_is_written_once() -> None:
    written: list[str] = []
    unfolding = Unfolding(WORDS, written.append, width=88)
    unfolding.show(OPEN)
    unfolding.show(OPEN)
    unfolding.show(f"{OPEN} Bring your card.")
    assert written == [OPEN, "", "\nBring your card."]
    assert unfolding.rest(REPLY).startswith(" [1]\n\n[1] Flu clinic")


def test_an_answer_that_was_not_shown_early_is_written_whole() -> None:
    assert screen(REPLY) == rendered(REPLY, WORDS)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(TurnKind.UNGROUNDED, WORDS.answer.ungrounded, "t"),
        Reply(TurnKind.REFUSAL, WORDS.refusal.model, "t"),
        Reply(TurnKind.ERROR, WORDS.error.general, "t"),
    ],
)
def test_an_answer_that_falls_after_it_was_shown_is_taken_back_in_words(reply: Reply) -> None:
    assert screen(reply, "Open on Tuesdays.").split("\n\n") == [
        "Open on Tuesdays.",
        WORDS.answer.withdrawn,
        *rendered(reply, WORDS).split("\n\n"),
    ]


def test_another_answer_than_was_shown_is_told_from_it_and_stands_whole() -> None:
    assert screen(REPLY, "Come on Tuesdays.") == f"Come on Tuesdays.\n\n{WORDS.answer.anew}\n\n{rendered(REPLY, WORDS)}"


def test_the_same_sentences_with_other_line_breaks_are_not_told_twice() -> None:
    reply = Reply(TurnKind.FACT, f"{OPEN}\n\nBring your card.\n\nIt is free. [1]", "t", (SOURCE,))
    assert screen(reply, OPEN, f"{OPEN} Bring your card.").startswith(
        rendered(Reply(TurnKind.FACT, f"{OPEN} Bring your card.", "t"), WORDS) + "\n\nIt is free. [1]\n\n[1] Flu"
    )


class Early:
    """Answers, and shows the answer early where it may; knows whether it might."""

    might: bool | None = None

    async def __call__(self, asked: IncomingMessage, show: Show | None = None) -> Reply:
        del asked
        self.might = show is not None
        if show:
            show(OPEN)
            show(f"{OPEN} Bring your card.")
        return REPLY


async def test_a_terminal_shows_each_sentence_once_and_then_its_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", "60")
    with os.fdopen(theirs, "w", encoding="utf-8") as stdout:
        with redirect_stdout(stdout):
            asked = message("When?", id_="m", thread="t", at=utc_now())
            assert await answered(asked, early := Early(), WORDS) is REPLY
        read = b""
        while WORDS.confidence.high.encode() not in read:
            read += os.read(ours, 65536)
    os.close(ours)
    assert early.might
    assert read.decode().replace("\r\n", "\n") == f"{rendered(REPLY, WORDS, width=60)}\n"


async def test_what_is_no_terminal_is_given_the_reply_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    await answered(message("When?", id_="m", thread="t", at=utc_now()), early := Early(), WORDS)
    assert not early.might
    assert capsys.readouterr().out == f"{rendered(REPLY, WORDS)}\n"
