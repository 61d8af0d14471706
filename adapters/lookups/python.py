"""What an operator's Python file registers: a look-up is one of these at the top of it, by any name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class PythonLookup:
    """A function that answers, with the models of what it takes and gives.

    `function` is given an `arguments` and returns a `result`, several of them in a list, or None. It is called in a
    thread of its own, may be called in several at once, writes nothing, and ends within the look-up's seconds.
    `answers` is a sentence on what it answers.
    """

    name: str
    answers: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    function: Callable[[Any], Any]
