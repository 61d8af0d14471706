"""Whether anything is shown that the documents do not bear, and how much that they do bear is lost.

A scripted model drafts through Claude's own wire format into whole turns of the product, and what the person would read
is compared with what was right. Each document is in one of two halves, by a hash of its name: the check was written
looking at one, and the tables are of the other.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.claude import ClaudeAnswerer
from bot.prompts import prompt
from bot.safety import Clear
from memory.conversation import Conversation
from retrieval.document import PUBLIC, Document
from retrieval.errors import Unreadable
from retrieval.grade import Grader
from retrieval.load import load
from retrieval.ram_index import RamIndex
from retrieval.search import PipelineSettings, Searcher
from retrieval.split import split
from scripts.public_sets import ABSTRACTS, abstracts
from tests.bench.drafts import LEADS, Case, Source, chance, drafts, sources, told_apart
from tests.bench.report import Goal, Table, goals
from tests.bot.engine import bench, said
from tests.doubles.claude import ClaudeDouble, Says, connected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from bot.turn import Engine
    from retrieval.document import Passage
    from tests.bench.sets import Sets

TAKEN = {"corpus": 20, "ingest_docs": 2, "scifact": 32, "pubmedqa": 32}
"""Of each set, one passage of so many."""
_MARKER = re.compile(r" \[\d+\]$")
_MOST_LOST = 0.03


@dataclass(slots=True)
class Tally:
    """How many cases of each set and kind there were, and how many of them went wrong."""

    all: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    texts: list[tuple[str, str]] = field(default_factory=list)

    def count(self, name: str, case: Case, *, failed: bool) -> None:
        """One more."""
        self.all[name, case.kind] += 1
        self.failed[name, case.kind] += failed
        if failed:
            self.texts.append((case.kind, case.text))

    def rows(self, by: int) -> list[tuple[str, str, str, str]]:
        """By set (0) or kind (1), and together."""
        groups = [*dict.fromkeys(key[by] for key in self.all), "together"]
        return [self._row(group, by) for group in groups]

    def _row(self, group: str, by: int) -> tuple[str, str, str, str]:
        total, failed = (
            sum(n for key, n in one.items() if group in {key[by], "together"}) for one in (self.all, self.failed)
        )
        return group, str(total), str(failed), f"{failed / total:.1%}"


@dataclass(slots=True)
class Found:
    """What was measured: wrong sentences shown, right ones lost, and links or sources left in what was shown."""

    shown: Tally = field(default_factory=Tally)
    lost: Tally = field(default_factory=Tally)
    leads: int = 0


async def measured(sets: Sets, *, seen: bool = False, taken: Mapping[str, int] = TAKEN) -> Sequence[Table]:
    """What is shown and what is lost, by kind and by set; of the half the check was written from with `seen`."""
    found = await _measure(list(_sources(sets.data, taken, seen=seen)))
    shown, lost = found.shown, found.lost
    share = lost.failed.total() / lost.all.total()
    columns = ("cases", "shown", "share")
    kept = ("cases", "lost", "share")
    return [
        Table("Wrong sentences, by kind", ("kind", *columns), shown.rows(1)),
        Table("Wrong sentences, by set", ("set", *columns), shown.rows(0)),
        Table("Right sentences, by kind", ("kind", *kept), lost.rows(1)),
        Table("Right sentences, by set", ("set", *kept), lost.rows(0)),
        goals(
            [
                Goal("no wrong sentence shown", str(shown.failed.total()), met=not shown.failed.total()),
                Goal("no link or made-up source shown", str(found.leads), met=not found.leads),
                Goal("at most 3 % of right sentences lost", f"{share:.2%}", met=share <= _MOST_LOST),
            ]
        ),
    ]


async def _measure(taken: Sequence[Source]) -> Found:
    found = Found()
    standing = (await bench(leaflets={}, gate=lambda _: Clear())).engine
    async with ClaudeDouble([]) as double, connected(double) as claude:
        answerer = ClaudeAnswerer(claude, prompt("answer"))
        for number, of in enumerate(taken):
            others = (taken[(number + step) % len(taken)] for step in range(1, len(taken)))
            other = next((one for one in others if told_apart(of, one)), None)
            if other is None:
                continue
            engine = await _engine(replace(standing, answerer=answerer), of)
            for turn, draft in enumerate(drafts(of, other)):
                double.replies.append(Says(_as_json(draft)))
                conversation = Conversation("console", "local", "bench", f"{number}-{turn}")
                reply = await engine.respond(said(of.sentence, conversation=conversation))
                _compare(of.name, draft, reply.text, found, first=turn == 0)
    return found


def _compare(name: str, draft: Sequence[Case], text: str, found: Found, *, first: bool) -> None:
    """Each statement stands on a line of its own."""
    lines = {_MARKER.sub("", line).removeprefix("- ") for line in text.splitlines()}
    found.leads += sum(bool(LEADS.search(line)) for line in lines)
    for case in draft:
        if not case.right:
            found.shown.count(name, case, failed=case.text in lines)
        elif first:
            core = re.sub(r" +(?=[,;:!?]|\.(?!\d))", "", case.core).rstrip(".!?")
            found.lost.count(name, case, failed=not any(_holds(line, core) for line in lines))


def _holds(line: str, core: str) -> bool:
    """Whether the line says it, whatever a link or source left behind it."""
    return line.rstrip(" .!?\u2026") == core or (line.startswith(core) and len(line) < len(core) + 4)


def _as_json(draft: Sequence[Case]) -> dict[str, object]:
    sentences = [{"text": f"- {case.text}", "passage_id": case.passage, "quote": case.quote} for case in draft]
    return {"kind": "fact", "sentences": sentences, "missing": ""}


async def _engine(engine: Engine, of: Source) -> Engine:
    """Over this one passage, which is found and counts as right."""
    index = RamIndex()
    await index.replace(of.document, [of.passage])
    searcher = Searcher(index, None, Grader.fitted())
    return replace(engine, index=index, searcher=searcher, pipeline=PipelineSettings(grade=False))


def _sources(data: Path, taken: Mapping[str, int], *, seen: bool) -> Iterator[Source]:
    for name, document, passage in _passages(data):
        half = chance(document.id) % 2 == 0
        if half is seen and chance(passage.id) // 2 % taken[name] == 0:
            yield from sources(name, document, passage)


def _passages(data: Path) -> Iterator[tuple[str, Document, Passage]]:
    """Every passage of every open set, as the product reads them."""
    folders = {"corpus": data / "corpus" / "docs", "ingest_docs": data / "ingest_docs" / "files"}
    for name, folder in folders.items():
        for path in sorted(one for one in folder.rglob("*") if one.is_file()):
            try:
                loaded = load(path)
            except Unreadable:
                continue
            document = Document(path.name, loaded.title, str(path), PUBLIC, "1")
            yield from ((name, document, passage) for passage in split(loaded, path.name))
    for name in ABSTRACTS:
        yield from ((name, document, passage) for document, passage in abstracts(data, name))
