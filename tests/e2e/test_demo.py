"""The demo as a new user runs it: no keys, no servers, the real model."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from adapters.demo import INTRODUCTION

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("citewell"))


def test_piped_questions_are_answered_or_declined_one_a_line(tmp_path: Path) -> None:
    keys = {"ANTHROPIC_API_KEY": "not-used", "VOYAGE_API_KEY": "not-used"}
    questions = "When is the flu clinic open?\nAnd for children?\nWhat is the capital of Peru?\n"
    done = subprocess.run(
        [COMMAND, "demo"],
        input=questions,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "CITEWELL_HOME": str(tmp_path / "home"), **keys},
    )
    first, second, third = done.stdout.split("> ")[1:]
    assert "Tuesdays from 9 am" in first
    assert "[1] Flu vaccination clinic" in first
    assert "https://larkfield.example/flu-clinic" in first
    assert "Saturdays" in second
    assert "not in the documents" in third


def test_its_help_is_true_and_sources_shows_what_stood_behind_the_answer(tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "demo"],
        input="When is the flu clinic open?\nsources\n",
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "CITEWELL_HOME": str(tmp_path / "home"), "CITEWELL_EMBEDDER": "none"},
    )
    shown = done.stdout.split("> sources")[1]
    assert "Sources of my last answer" in shown
    assert "[1] Flu vaccination clinic" in shown


def test_ctrl_c_at_the_prompt_ends_it_at_once_and_quietly(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "demo"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**os.environ, "CITEWELL_HOME": str(tmp_path / "home"), "CITEWELL_EMBEDDER": "none"},
    ) as demo:
        os.close(theirs)
        shown = b""
        try:
            while not shown.endswith(b"> "):
                shown += os.read(ours, 1024)
            demo.send_signal(signal.SIGINT)
            assert demo.wait(timeout=30) == 130
        finally:
            demo.kill()
    after = os.read(ours, 1024)
    os.close(ours)
    assert INTRODUCTION.split("\n")[0].encode() in shown
    assert after.strip() == b""


def test_make_says_how_long_the_first_time_takes_and_later_that_it_updates(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 0\n")
    python.chmod(0o755)

    def said() -> str:
        done = subprocess.run(["make", "install"], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stderr

    assert "a minute or two" in said()
    assert said() == ""
    os.utime(tmp_path / ".venv" / ".made", (0, 0))
    assert said().startswith("Updating")


def test_a_thumb_for_the_last_answer_is_noted(tmp_path: Path) -> None:
    environment = {**os.environ, "CITEWELL_HOME": str(tmp_path / "home"), "CITEWELL_EMBEDDER": "none"}

    def run(*arguments: str, said: str = "", **more: str) -> str:
        environ = {**environment, **more}
        command = [COMMAND, *arguments]
        return subprocess.run(
            command, input=said, capture_output=True, text=True, check=True, cwd=tmp_path, env=environ
        ).stdout

    shown = run("demo", said="-\nWhen is the flu clinic open?\nthanks\n-\n")
    assert "I keep nothing about that answer" in shown.split("> -")[1]
    assert "Thank you, that is noted." in shown.split("> -")[2]
    feedback = run("feedback", CITEWELL_HOME=str(tmp_path / "home" / "demo"))
    assert feedback.startswith("Good: 0. Bad: 1.\n")
    assert "When is the flu clinic open?" in feedback
