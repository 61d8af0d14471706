"""A process of its own that replaces a document and stops in the middle.

`python -m tests.retrieval.replacing FILE WORD COUNT PAUSE`: a document of COUNT passages that say WORD; before passage
number PAUSE goes in, it prints a line and waits for one. With PAUSE equal to COUNT it waits before the commit.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.sqlite_index import SqliteIndex
from tests.retrieval.samples import document, passages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.document import Passage


class Pausing(list["Passage"]):
    """Passages that are handed out one by one, with a pause before one of them."""

    pause = 0

    def __iter__(self) -> Iterator[Passage]:
        for number in range(len(self) + 1):
            if number == self.pause:
                print("paused", flush=True)  # noqa: T201 - its parent waits for it
                sys.stdin.readline()
            if number < len(self):
                yield self[number]


async def main(path: Path, word: str, count: int, pause: int) -> None:
    index = await SqliteIndex.open(path, embedder=None)
    made = Pausing(passages(document(), *(f"{word} plan {number}" for number in range(count))))
    made.pause = pause
    await index.replace(document(version=word), made)
    await index.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
