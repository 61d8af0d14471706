"""Prompts, and an operator's own in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.errors import Misconfigured
from bot.prompts import Prompt, prompt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name", ["answer", "entailment", "hypothetical", "rerank", "rewrite", "safety", "standalone", "summary"]
)
def test_every_task_has_its_prompt(name: str) -> None:
    assert len(prompt(name).text) > 100


def test_the_version_changes_with_the_text_alone() -> None:
    assert Prompt("answer", "One.").version == Prompt("other", "One.").version
    assert Prompt("answer", "One.").version != Prompt("answer", "Two.").version
    assert len(prompt("answer").version) == 12


def test_an_operators_own_file_stands_in(tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("Answer in rhyme.\n", encoding="utf-8")
    assert prompt("answer", instead=own).text == "Answer in rhyme."


def test_the_mark_that_some_editors_put_before_a_text_is_not_part_of_it(tmp_path: Path) -> None:
    own = tmp_path / "own.md"
    own.write_text("Answer in rhyme.", encoding="utf-8-sig")
    assert prompt("answer", instead=own) == Prompt("answer", "Answer in rhyme.")


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe\xfa"])
def test_a_file_that_gives_no_instructions_is_named(tmp_path: Path, content: bytes | None) -> None:
    own = tmp_path / "own.md"
    if content is not None:
        own.write_bytes(content)
    with pytest.raises(Misconfigured, match=r"own\.md.*CITEWELL_ANSWER_PROMPT"):
        prompt("answer", instead=own)
