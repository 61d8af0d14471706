"""How a command ends when something goes wrong."""

from __future__ import annotations

import pytest

from adapters.faults import faults
from bot.errors import Misconfigured


def ended_by(error: BaseException) -> object:
    with pytest.raises(SystemExit) as end, faults():
        raise error
    return end.value.code


def test_what_can_be_mended_is_said_in_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_by(Misconfigured("Set it.")) == 1
    assert capsys.readouterr().err == "citewell: Set it.\n"


def test_the_unexpected_is_one_line_with_its_type_and_none_of_its_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEWELL_LOG_LEVEL", raising=False)
    assert ended_by(TypeError("what a person said")) == 1
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "TypeError" in shown
    assert "person" not in shown


def test_the_unexpected_has_its_traceback_where_debugging_is_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_LOG_LEVEL", "DEBUG")
    assert ended_by(TypeError("why")) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_fault_of_the_system_says_what_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_by(PermissionError(13, "Permission denied", "/x\x1b[2J/y")) == 1
    assert capsys.readouterr().err == "citewell: PermissionError: Permission denied: /x[2J/y\n"


def test_ctrl_c_says_nothing_and_gives_the_code_of_shells(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended_by(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == ""
