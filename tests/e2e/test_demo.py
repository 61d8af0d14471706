"""The demo as a new user runs it: no keys, no servers, the real model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_piped_questions_are_answered_or_declined_one_a_line(tmp_path: Path) -> None:
    keys = {"ANTHROPIC_API_KEY": "not-used", "VOYAGE_API_KEY": "not-used"}
    questions = "When is the flu clinic open?\nAnd for children?\nWhat is the capital of Peru?\n"
    done = subprocess.run(
        [str(Path(sys.executable).with_name("citewell")), "demo"],
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
