"""The public sets that are fitted and measured on: documents, and questions with the documents that answer them."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.context import context_sentence
from retrieval.document import PUBLIC, Document, Passage

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDINGS = ("text", "summary", "paraphrase")
KINDS = ("absent_disease", "absent_drug", "near_miss_drug_fact", "other_domain")
ABSTRACTS = ("scifact", "pubmedqa")
"""Sets of abstracts, one passage each, as others measure them."""


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
    """Questions to the corpus of health pages, with an answer there and without."""
    return [*_judged(data), *_templates(data), *_unanswerable(data)]


def of_abstracts(data: Path, name: str, split: str = "test") -> list[Question]:
    """The questions of one split of `ABSTRACTS` that have an answer; none where the set has no such split."""
    path = data / name / "qrels" / f"{split}.tsv"
    gold: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else ():
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            gold[question].add(document)
    texts = {row["_id"]: row["text"] for row in rows(data / name / "queries.jsonl")}
    return [Question(name, id_, texts[id_], True, frozenset(documents)) for id_, documents in gold.items()]


def abstracts(data: Path, name: str) -> Iterator[tuple[Document, Passage]]:
    """Each abstract as one document of one passage; what is searched is its title and itself."""
    for row in rows(data / name / "corpus.jsonl"):
        title, text = row.get("title") or "", row["text"]
        context, headings = (context_sentence(title, ()), (title,)) if title else ("", ())
        document = Document(row["_id"], title, f"/{name}/{row['_id']}", PUBLIC, "1")
        yield document, Passage(f"{document.id}:0", document.id, 0, text, context, headings, (0, len(text)))


def name_of(document: Document) -> str:
    """A health page's own id, by which judgements name it: what its file's name begins with."""
    return Path(document.path).name.split("-", 1)[0]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _judged(data: Path) -> Iterator[Question]:
    gold, related = defaultdict(set), defaultdict(set)
    for line in (data / "retrieval_eval" / "qrels_docs.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        qid, _, document, grade, _ = line.split("\t")
        if int(grade) >= 1:
            related[qid].add(document)
        if int(grade) >= 2:
            gold[qid].add(document)
    for row in rows(data / "retrieval_eval" / "queries.jsonl"):
        if row["class"] in {"answerable", "partly_answerable"}:
            ids = frozenset(gold[row["qid"]]), frozenset(related[row["qid"]])
            wordings = {row[name]: name for name in reversed(WORDINGS) if row.get(name)}
            yield from (Question(name, row["qid"], text, True, *ids) for text, name in wordings.items())


def _templates(data: Path) -> Iterator[Question]:
    for row in rows(data / "corpus" / "sections.jsonl"):
        if hashlib.sha256(row["section_id"].encode()).digest()[0] % 12 == 0:
            yield Question("heading", row["section_id"], row["heading"], True, frozenset([row["doc_id"]]))
    for talk in rows(data / "multiturn" / "medquad_followups.jsonl"):
        for turn in talk["turns"][1:]:
            gold = frozenset(section.split("#")[0] for section in turn["gold_sections"])
            yield Question("follow-up", talk["conv_id"], turn["rewrite"], True, gold)


def _unanswerable(data: Path) -> Iterator[Question]:
    for row in rows(data / "unanswerable" / "questions.jsonl"):
        yield Question(row["kind"], row["id"], row["text"], False)
    for talk in rows(data / "multiturn" / "conversations.jsonl"):
        if not talk["health"]:
            asked = [turn["rewrite"] for turn in talk["turns"][::3] if turn["rewrite"]]
            yield from (Question("off topic", talk["conv_id"], text, False) for text in asked)
