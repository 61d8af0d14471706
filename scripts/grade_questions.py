"""Questions with known answers, each with the corpus it is put to, for `fit_grade.py`."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import tomllib
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.ram_index import RamIndex
from retrieval.sqlite_rows import read_document, read_passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector

WORDINGS = ("text", "summary", "paraphrase")
KINDS = ("absent_disease", "absent_drug", "near_miss_drug_fact", "other_domain")
OWN = Path(__file__).with_suffix(".toml")
DRAWN_SIZES = (12, 12, 12, 40, 40, 150, 150, 400)
"""Documents in the small corpora drawn from the whole, one of each for either half of the questions."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to one corpus. `gold` are documents that answer it, `related` any others that touch on it."""

    group: str
    id: str
    text: str
    answerable: bool
    gold: frozenset[str] = frozenset()
    related: frozenset[str] = frozenset()

    @property
    def fitted(self) -> bool:
        """Which half it is in: the same for all wordings of a question and all turns of a conversation."""
        return hashlib.sha256(self.id.encode()).digest()[-1] % 2 == 0


def public(data: Path) -> list[Question]:
    """Questions of the public sets, to the whole corpus."""
    return [*_judged(data), *_templates(data), *_unanswerable(data)]


def own(name: str, group: str, *, answerable: bool = False) -> list[Question]:
    """Questions of the file beside this one."""
    return [Question(group, text, text, answerable) for text in tomllib.loads(OWN.read_text(encoding="utf-8"))[name]]


def drawn(questions: Sequence[Question], documents: Sequence[str]) -> Iterator[tuple[set[str], list[Question]]]:
    """Small corpora, by the documents in them, with what they can answer and what they cannot."""
    for number, size in enumerate(DRAWN_SIZES):
        for fitted in (True, False):
            chance = random.Random(2 * number + fitted)
            half = [question for question in questions if question.fitted is fitted]
            gold = sorted(set().union(*(question.gold for question in half if question.group in WORDINGS)))
            some = chance.sample(gold, min(len(gold), max(4, size // 6)))
            chosen = dict.fromkeys(some + chance.sample(sorted(documents), size))
            corpus = set(list(chosen)[:size])
            yield corpus, [placed for question in half if (placed := _placed(question, corpus, chance))]


def _placed(question: Question, corpus: set[str], chance: random.Random) -> Question | None:
    """The question as one to a small corpus; None where the answer is not sure, or there are enough like it."""
    if question.group in {*WORDINGS, "heading"}:
        if question.gold & corpus:
            return replace(question, group="drawn" if question.group in WORDINGS else "drawn heading")
        if question.group in WORDINGS and not question.related & corpus and chance.random() < 0.4:
            return replace(question, group="not drawn", answerable=False)
    if not question.answerable and chance.random() < 0.1:
        return replace(question, group="declined, drawn")
    return None


def read_index(path: Path) -> list[tuple[Document, list[tuple[Passage, Vector]]]]:
    """Every document of an index's file with its passages and vectors."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        connection.row_factory = sqlite3.Row
        found: dict[Document, list[tuple[Passage, Vector]]] = {}
        for row in connection.execute("SELECT r.*, v.vector FROM records r JOIN vectors v ON v.passage = r.number"):
            passages = found.setdefault(read_document(row), [])
            passages.append((read_passage(row), np.frombuffer(row["vector"], "<f4")))
    return list(found.items())


async def small_index(documents: Sequence[tuple[Document, list[tuple[Passage, Vector]]]]) -> RamIndex:
    """These documents alone, with their vectors."""
    index = RamIndex()
    for document, passages in documents:
        await index.replace(document, [passage for passage, _ in passages])
        if passages:
            await index.add_vectors([passage.id for passage, _ in passages], np.stack([v for _, v in passages]))
    return index


def name_of(document: Document) -> str:
    """The corpus' own id of a document, which its file's name begins with."""
    return Path(document.path).name.split("-", 1)[0]


def _judged(data: Path) -> Iterator[Question]:
    gold, related = defaultdict(set), defaultdict(set)
    for line in (data / "retrieval_eval" / "qrels_docs.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, _, document, grade, _ = line.split("\t")
        if int(grade) >= 1:
            related[qid].add(document)
        if int(grade) >= 2:
            gold[qid].add(document)
    for row in _rows(data / "retrieval_eval" / "queries.jsonl"):
        if row["class"] in {"answerable", "partly_answerable"}:
            ids = frozenset(gold[row["qid"]]), frozenset(related[row["qid"]])
            wordings = {row[name]: name for name in reversed(WORDINGS) if row.get(name)}
            yield from (Question(name, row["qid"], text, True, *ids) for text, name in wordings.items())


def _templates(data: Path) -> Iterator[Question]:
    for row in _rows(data / "corpus" / "sections.jsonl"):
        if hashlib.sha256(row["section_id"].encode()).digest()[0] % 12 == 0:
            yield Question("heading", row["section_id"], row["heading"], True, frozenset([row["doc_id"]]))
    for talk in _rows(data / "multiturn" / "medquad_followups.jsonl"):
        for turn in talk["turns"][1:]:
            gold = frozenset(section.split("#")[0] for section in turn["gold_sections"])
            yield Question("follow-up", talk["conv_id"], turn["rewrite"], True, gold)


def _unanswerable(data: Path) -> Iterator[Question]:
    for row in _rows(data / "unanswerable" / "questions.jsonl"):
        yield Question(row["kind"], row["id"], row["text"], False)
    for talk in _rows(data / "multiturn" / "conversations.jsonl"):
        if not talk["health"]:
            asked = [turn["rewrite"] for turn in talk["turns"][::3] if turn["rewrite"]]
            yield from (Question("off topic", talk["conv_id"], text, False) for text in asked)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
