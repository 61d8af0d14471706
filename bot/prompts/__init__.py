"""What models are told, one file a task beside this; an operator's own file may stand in for any of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Prompt:
    """One task's instructions. `version` changes with the text, so that traces tell which wording gave an answer."""

    name: str
    text: str

    @property
    def version(self) -> str:
        """The first 12 hexadecimal digits of the text's sha256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def prompt(name: str, *, instead: Path | None = None) -> Prompt:
    """The prompt of a task, by the name of its file, from the operator's file `instead` where one is given. Blocking.

    `Misconfigured` where that file cannot be read as UTF-8 or is empty, with the setting that names it.
    """
    source = instead or resources.files("bot.prompts").joinpath(f"{name}.md")
    setting = f"CITEWELL_{name.upper()}_PROMPT"
    try:
        text = source.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"the prompt file {source} cannot be read: name a readable UTF-8 file in {setting}, or leave it unset"
        raise Misconfigured(msg) from error
    if not text:
        msg = f"the prompt file {source} is empty: write the instructions into it, or leave {setting} unset"
        raise Misconfigured(msg)
    return Prompt(name, text)
