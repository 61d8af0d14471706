"""What reaches a terminal and what comes from it."""

from __future__ import annotations

import io
import logging
import os
import pty
import sys
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal import line_from, log_held_back, one_line, plain, well_formed, width

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_plain_text_keeps_all_that_shows_and_nothing_that_commands(text: str) -> None:
    commands = {"Cc", "Cf"}
    assert plain(text) == "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in commands)


@given(ANY_TEXT)
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(ANY_TEXT)
def test_what_comes_in_can_be_written_as_utf_8(text: str) -> None:
    well_formed(text).encode("utf-8")


@given(st.text())
def test_text_that_is_well_formed_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


async def test_a_line_is_handed_over_from_its_thread() -> None:
    assert await line_from(lambda: "typed") == "typed"


async def test_the_end_of_the_input_is_raised_where_the_line_is_awaited() -> None:
    def ended() -> str:
        raise EOFError

    with pytest.raises(EOFError):
        await line_from(ended)


def test_a_log_that_is_held_back_comes_whole_and_after(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("test")
    with suppress(KeyboardInterrupt), log_held_back():
        log.warning("first")
        log.critical("second")
        during = list(caplog.messages)
        raise KeyboardInterrupt
    log.warning("third")
    assert (during, caplog.messages) == ([], ["first", "second", "third"])


@pytest.mark.parametrize(("columns", "wide"), [("20", 40), ("72", 72), ("300", 100)])
def test_text_is_as_wide_as_the_terminal_within_what_reads_well(
    monkeypatch: pytest.MonkeyPatch, columns: str, wide: int
) -> None:
    ours, theirs = pty.openpty()
    monkeypatch.setenv("COLUMNS", columns)
    with os.fdopen(theirs, "w") as terminal, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", terminal)
        assert width() == wide
    os.close(ours)


def test_what_is_no_terminal_has_a_width_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert width() == 88
