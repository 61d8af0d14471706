"""Measures the answers without a model: whether what is quoted comes from a section that was judged to answer.

    python -m scripts.extracts SHARED INDEX [--half tuned|kept] [--read N --seed S]

SHARED is the folder of `data`, INDEX an index of `data/corpus` with vectors. Asked are the judged consumer questions in
each of their wordings and four in ten of the templates among the follow-ups (by hash), each in the half that its id
falls into: one that the rules were made on, and one that was kept. `--read` prints a random sample to read and judge.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.compose import compose
from bot.extractive import ExtractiveAnswerer
from bot.verify import verify
from retrieval.evidence import Evidence, Grade, Query
from retrieval.fitted_rerank import FittedReranker
from retrieval.grade import Grader
from retrieval.local import LocalEmbedder
from retrieval.search import Searcher
from retrieval.sqlite_index import SqliteIndex
from scripts.public_sets import WORDINGS, name_of, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bot.answerer import Answerer
    from bot.verify import Verified
    from retrieval.evidence import Hit

PASSAGES = 8
ANSWERED = {"answerable", "partly_answerable"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question; `gold` are the sections judged to answer it, none where the corpus cannot."""

    group: str
    id: str
    text: str
    gold: frozenset[str] = frozenset()

    @property
    def half(self) -> str:
        """Which half it is in: the same for all wordings of a question."""
        return "tuned" if int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 2 else "kept"


def questions(data: Path) -> Iterator[Asked]:
    """All of them, each text once."""
    gold: dict[str, set[str]] = defaultdict(set)
    for line in (data / "retrieval_eval" / "qrels_sections.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, _, section, grade, *_ = line.split("\t")
        if int(grade) >= 2:
            gold[qid].add(section)
    for row in rows(data / "retrieval_eval" / "queries.jsonl"):
        if row["class"] in ANSWERED:
            for name in WORDINGS:
                if row.get(name):
                    yield Asked(name, row["qid"], row[name], frozenset(gold[row["qid"]]))
    for talk in rows(data / "multiturn" / "medquad_followups.jsonl"):
        for turn in talk["turns"]:
            text = turn["rewrite"]
            if int(hashlib.sha256(f"s{text}".encode()).hexdigest(), 16) % 10 < 4:
                yield Asked("template", text, text, frozenset(turn["gold_sections"]))
    for row in rows(data / "unanswerable" / "questions.jsonl"):
        yield Asked("unanswerable", row["text"], row["text"])


def sections_of(data: Path) -> Mapping[tuple[str, str], frozenset[str]]:
    """The ids of the corpus' sections, by document and heading."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows(data / "corpus" / "sections.jsonl"):
        found[row["doc_id"], _folded(row["heading"])].add(row["section_id"])
    return {key: frozenset(ids) for key, ids in found.items()}


def _folded(heading: str) -> str:
    return " ".join(heading.split()).casefold()


@dataclass(slots=True)
class Figures:
    """Counts over the questions of one group."""

    asked: int = 0
    answered: int = 0
    first: int = 0
    document: int = 0
    share: float = 0.0
    statements: int = 0
    characters: int = 0
    dropped: int = 0

    def add(self, verified: Verified | None, gold: frozenset[str], sections: Mapping[Hit, frozenset[str]]) -> None:
        """One question's outcome; None where it was declined before anything was written."""
        self.asked += 1
        if verified is None or not verified.statements:
            return
        shown = [one.hit for one in verified.statements]
        self.answered += 1
        self.first += bool(sections[shown[0]] & gold)
        self.document += any(name_of(one.document) in {id_.split("#")[0] for id_ in gold} for one in shown)
        self.share += sum(bool(sections[one] & gold) for one in shown) / len(shown)
        self.statements += len(shown)
        self.characters += len(compose(verified.statements)[0])
        self.dropped += len(verified.dropped)

    def line(self, group: str) -> str:
        """A table's row: of the answered, the shares and means."""
        n = self.answered or 1
        values = (self.first / n, self.document / n, self.share / n, self.statements / n, self.characters / n)
        return f"{group:13}{self.asked:6}{self.answered:10}" + "".join(f"{value:9.3f}" for value in values)


async def verified_answer(answerer: Answerer, asked: Asked, evidence: Evidence) -> Verified | None:
    """What a turn would show; None where the evidence is too weak to ask the answerer."""
    if evidence.grade is Grade.INCORRECT or not evidence.hits:
        return None
    return verify(await answerer.answer(asked.text, evidence, ()), evidence)


async def measure(data: Path, path: Path, half: str, read: int, seed: int) -> None:
    """Ask every question of the half, print the figures, or a sample to read."""
    embedder = LocalEmbedder.minilm()
    index = await SqliteIndex.open(path, embedder=(embedder.name, embedder.dimensions))
    searcher = Searcher(index, embedder, Grader.fitted(), reranker=FittedReranker.fitted(index))
    answerer, sections = ExtractiveAnswerer(index), sections_of(data)
    asked = list({one.text: one for one in questions(data) if one.half == half}.values())
    figures: dict[str, Figures] = defaultdict(Figures)
    for one in random.Random(seed).sample([one for one in asked if one.gold], read) if read else asked:
        evidence = await searcher.search(Query(one.text, one.text), k=PASSAGES)
        verified = await verified_answer(answerer, one, evidence)
        if read:
            print(f"## {one.text}\n{_shown(verified)}\n")
            continue
        placed = {hit: _sections(hit, sections) for hit in evidence.hits}
        figures[one.group].add(verified, one.gold, placed)
    if not read:
        print(f"{'':13}{'asked':>6}{'answered':>10}{'first':>9}{'document':>9}{'share':>9}{'stated':>9}{'letters':>9}")
        print("\n".join(one.line(group) for group, one in figures.items()))
        print("dropped by the check:", sum(one.dropped for one in figures.values()))
    await index.close()


def _sections(hit: Hit, sections: Mapping[tuple[str, str], frozenset[str]]) -> frozenset[str]:
    keys = [(name_of(hit.document), _folded(heading)) for heading in hit.passage.headings]
    return frozenset().union(*(sections.get(key, frozenset()) for key in keys))


def _shown(verified: Verified | None) -> str:
    return compose(verified.statements)[0] if verified and verified.statements else "(declined)"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--half", choices=["tuned", "kept"], default="kept")
    parser.add_argument("--read", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    asyncio.run(measure(given.shared / "data", given.index, given.half, given.read, given.seed))


if __name__ == "__main__":
    main()
