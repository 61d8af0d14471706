"""Short texts that are shown on one line: titles, and what a document says of itself."""

from __future__ import annotations

import unicodedata

LONGEST = 200
"""Characters that such a text has at most; longer ones are cut, with an ellipsis."""

INVISIBLE = frozenset({"Cc", "Cf", "Cs"})
"""Unicode categories of what cannot be seen: control and format characters, lone surrogates."""


def one_line(text: str) -> str:
    """The text on one line, white space as single spaces, without characters that cannot be seen."""
    kept = (char for char in text if char.isspace() or unicodedata.category(char) not in INVISIBLE)
    line = " ".join("".join(kept).split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"
