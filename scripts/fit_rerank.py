"""Fits the offline reranker's trees, and reports the order of hits before and after on questions it has not seen.

    python scripts/fit_rerank.py SHARED INDEX FOLDER             fit, write retrieval/data/rerank.json, report
    python scripts/fit_rerank.py SHARED INDEX FOLDER --report    report on the trees as they stand

Fitting needs LightGBM (`pip install lightgbm==4.7.0`), which the product does not. SHARED is the folder that holds
`data/`. INDEX is the file that `citewell ingest SHARED/data/corpus/docs` made, with all its vectors in. FOLDER keeps
the indexes of SciFact and PubMedQA, which are made here if they are not there (ten minutes or more of embedding).

Fitted on SciFact's training questions and on half of the other sets, by the hash of a question's id; reported on
SciFact's test questions and the other halves. `docs/rerank-card.md` has the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grade_questions
import numpy as np
from grade_questions import WORDINGS, Question, name_of

from retrieval.context import context_sentence
from retrieval.document import PUBLIC, Document, Passage
from retrieval.fitted_rerank import FITTED, Trees
from retrieval.local import LocalEmbedder
from retrieval.rerank_features import BY_WORDS, WITH_VECTORS, features, wanted_terms
from retrieval.sqlite_index import SqliteIndex
from retrieval.vectors import fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retrieval.evidence import Hit

NAMES = {"by_words": BY_WORDS, "with_vectors": WITH_VECTORS}
DEPTH = 30
SETS = ("scifact", "pubmedqa", *WORDINGS)
COUNTS = {"scifact": 1.0, "pubmedqa": 0.3, "text": 2.0, "summary": 1.0, "paraphrase": 1.0}
"""What one question of a set counts in the fit: real messages more, and those that any order answers less."""
SETTINGS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 15,
    "learning_rate": 0.05,
    "num_leaves": 6,
    "min_data_in_leaf": 60,
    "lambda_l2": 5.0,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}
ROUNDS = 180
"""Chosen, with the settings, by four-fold cross-validation on the fitted part."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One question's fused list: the names of the documents in order, and the rows of the first `DEPTH`."""

    question: Question
    fitted: bool
    documents: tuple[str, ...]
    rows: tuple[Mapping[str, float], ...]

    @property
    def right(self) -> list[bool]:
        """Of each row, whether its document answers."""
        return [document in self.question.gold for document in self.documents[: len(self.rows)]]


def benchmark(shared: Path, name: str) -> Iterator[tuple[Question, bool]]:
    """The questions of SciFact or PubMedQA with an answer, and whether each may be fitted on."""
    folder = shared / "data" / name
    texts = {row["_id"]: row["text"] for row in rows_of(folder / "queries.jsonl")}
    for path in sorted((folder / "qrels").glob("*.tsv")):
        gold = defaultdict(set)
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            id_, *_, document, grade = line.split("\t")
            if int(grade) > 0:
                gold[id_].add(document)
        for id_, documents in gold.items():
            question = Question(name, id_, texts[id_], True, frozenset(documents))
            yield question, path.stem == "train" if name == "scifact" else question.fitted


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


async def benchmark_index(shared: Path, folder: Path, name: str, embedder: LocalEmbedder) -> Path:
    """The set's index, made if it is not there. PubMedQA's distractors are SciFact's abstracts with their vectors."""
    path = folder / f"{name}.db"
    if path.exists():
        return path
    index = await SqliteIndex.open(path, embedder=(embedder.name, embedder.dimensions))
    for row in rows_of(shared / "data" / name / "corpus.jsonl"):
        id_, title, text = row["_id"], row["title"], row["text"]
        context, headings = (context_sentence(title, ()), (title,)) if title else ("", ())
        passage = Passage(f"{id_}:0", id_, 0, text or " ", context, headings, (0, len(text)))
        await index.replace(Document(id_, title, f"/{id_}.txt", PUBLIC, "1"), [passage])
    if name == "pubmedqa":
        for document, passages in grade_questions.read_index(folder / "scifact.db"):
            await index.add_vectors([f"s{document.id}:0"], np.stack([vector for _, vector in passages]))
    await fill(index, embedder)
    await index.close()
    return path


async def listed(path: Path, questions: Sequence[tuple[Question, bool]], mode: str, corpus: bool) -> list[Listed]:
    """Each question's search, as `retrieval.search` does it."""
    embedder = LocalEmbedder.minilm()
    index = await SqliteIndex.open(path, embedder=(embedder.name, embedder.dimensions))
    found = []
    for question, fitted in questions:
        vector = await embedder.embed_query(question.text) if mode == "with_vectors" else None
        hits: Sequence[Hit] = await index.search(question.text, vector, k=50)
        total, frequencies = await index.document_frequencies(wanted_terms(question.text, hits[:DEPTH]))
        rows = features(question.text, hits[:DEPTH], total, frequencies)
        names = tuple(name_of(hit.document) if corpus else hit.document.id for hit in hits)
        found.append(Listed(question, fitted, names, tuple(rows)))
    await index.close()
    return found


async def gather(shared: Path, index: Path, folder: Path, *, unseen_only: bool) -> dict[str, list[Listed]]:
    """Every question's list, in both modes."""
    judged = [(one, one.fitted) for one in grade_questions.public(shared / "data") if one.group in WORDINGS]
    sources = [(index, [(one, fitted) for one, fitted in judged if one.gold], True)]
    for name in ("scifact", "pubmedqa"):
        path = await benchmark_index(shared, folder, name, LocalEmbedder.minilm())
        sources.append((path, list(benchmark(shared, name)), False))
    modes: dict[str, list[Listed]] = {}
    for mode in NAMES:
        found = modes[mode] = []
        for path, questions, corpus in sources:
            asked = [(one, fitted) for one, fitted in questions if not (unseen_only and fitted)]
            found += await listed(path, asked, mode, corpus)
    return modes


def fit(found: Sequence[Listed], names: Sequence[str]) -> list[Any]:
    """LambdaRank over the lists that hold both a right document and a wrong one; the trees as plain data."""
    import lightgbm

    used = [one for one in found if one.fitted and 0 < sum(one.right) < len(one.rows)]
    data = lightgbm.Dataset(
        np.array([[row[name] for name in names] for one in used for row in one.rows]),
        np.concatenate([one.right for one in used]).astype(float),
        group=[len(one.rows) for one in used],
        weight=np.repeat([COUNTS[one.question.group] for one in used], [len(one.rows) for one in used]),
    )
    model = lightgbm.train(SETTINGS, data, ROUNDS).dump_model()
    return [plain(tree["tree_structure"]) for tree in model["tree_info"]]


def plain(node: Mapping[str, Any]) -> Any:
    """A leaf's value, or [feature, at, below, above]."""
    if "leaf_value" in node:
        return float(f"{node['leaf_value']:.5g}")
    below, above = plain(node["left_child"]), plain(node["right_child"])
    return [node["split_feature"], float(f"{node['threshold']:.7g}"), below, above]


def write(modes: Mapping[str, Sequence[Listed]]) -> None:
    """Fit both models and store them, one tree a line, with what they were fitted on."""
    sizes = {name: sum(one.fitted and one.question.group == name for one in modes["by_words"]) for name in SETS}
    parts = [
        '"about": "Trees of retrieval/fitted_rerank.py; made by scripts/fit_rerank.py, not by hand."',
        f'"fitted_on": {json.dumps(sizes)}',
    ]
    for mode, found in modes.items():
        trees = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in fit(found, NAMES[mode]))
        parts.append(f'"{mode}": {{"names": {json.dumps(NAMES[mode])}, "trees": [\n{trees}\n]}}')
    FITTED.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def reranked(one: Listed, model: Trees) -> Listed:
    """The documents of the first rows by score; those behind them as they were."""
    scores = model.scores(one.rows)
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return replace(one, documents=(*(one.documents[at] for at in order), *one.documents[len(order) :]))


def how_well(one: Listed) -> tuple[float, float, float, float]:
    """nDCG@10, hit@5, MRR and recall@20, by document."""
    right = [document in one.question.gold for document in dict.fromkeys(one.documents)]
    gold = len(one.question.gold)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(gold, 10)))
    gain = sum(1 / math.log2(rank + 2) for rank, is_right in enumerate(right[:10]) if is_right)
    reciprocal = 1 / (right.index(True) + 1) if True in right else 0.0
    return gain / ideal, float(any(right[:5])), reciprocal, sum(right[:20]) / gold


def report(modes: Mapping[str, Sequence[Listed]]) -> None:
    """Print how well the unseen questions' documents stand, before and after."""
    data = json.loads(FITTED.read_text(encoding="utf-8"))
    print(f"{'not seen in the fit':44}" + "".join(f"{name:>10}" for name in ("nDCG@10", "hit@5", "MRR", "recall@20")))
    for mode, found in modes.items():
        model = Trees.read(data[mode])
        for name in SETS:
            before = [one for one in found if not one.fitted and one.question.group == name]
            after = [reranked(one, model) for one in before]
            for label, ones in (("before", before), ("after", after)):
                figures = "".join(f"{figure:10.3f}" for figure in np.mean([how_well(one) for one in ones], axis=0))
                print(f"{f'{mode}, {name} ({len(ones)}), {label}':44}{figures}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--report", action="store_true", help="only report")
    options = parser.parse_args()
    modes = asyncio.run(gather(options.shared, options.index, options.folder, unseen_only=options.report))
    if not options.report:
        write(modes)
    report(modes)


if __name__ == "__main__":
    main()
