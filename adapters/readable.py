"""Light Markdown in lines that read well where neither lists nor tables are drawn."""

from __future__ import annotations

import re

from adapters.table_row import cells, is_rule

RAIL = "```"
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_BULLET = re.compile(r"^(\s*)[-*+]\s+(?=\S)")


def readable_lines(markdown: str) -> list[tuple[str, bool]]:
    """Each line with lists and tables made readable, and whether it stands inside a code fence."""
    lines: list[tuple[str, bool]] = []
    header: list[str] | None = None
    fenced = False
    for line in markdown.replace("\r\n", "\n").split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            lines.append((RAIL, True))
            continue
        if fenced:
            lines.append((line, True))
            continue
        row = cells(line)
        if row is None:
            header = None
            lines.append((_BULLET.sub(r"\1• ", line), False))
        elif is_rule(line):
            continue
        elif header is None:
            header = row
            lines.append((" · ".join(f"**{cell}**" for cell in header if cell), False))
        else:
            lines.append((_row(header, row), False))
    if fenced:
        lines.append((RAIL, True))
    return lines


def _row(header: list[str], row: list[str]) -> str:
    """One table row as a list item that reads alone: "• Monday: 9 to 12 · Ward: B"."""
    first, *others = row
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header[1:], others, strict=False) if cell]
    named += [cell for cell in others[len(header) - 1 :] if cell]
    return "• " + " · ".join([first, *named] if first else named)
