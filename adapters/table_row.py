"""One line of a table in Markdown."""

from __future__ import annotations

import re

_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_EDGE = re.compile(r"(?<!\\)\|")


def cells(line: str) -> list[str] | None:
    """What stands in its cells; None for a line that is no row. Of the line below a head, the dashes."""
    row = _ROW.match(line)
    return None if row is None else [cell.strip().replace("\\|", "|") for cell in _EDGE.split(row[1])]


def is_rule(line: str) -> bool:
    """Whether it is the line below a table's head."""
    return _RULE.match(line) is not None
