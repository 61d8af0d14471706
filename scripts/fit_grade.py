"""Fits the grader's weights on questions with known answers, and reports how it grades those it has not seen.

    python scripts/fit_grade.py SHARED INDEX SAMPLES             fit, write retrieval/data/grade.json, report
    python scripts/fit_grade.py SHARED INDEX SAMPLES --report    report on the weights as they stand

SHARED is the folder that holds `data/`. INDEX is the file that `citewell ingest SHARED/data/corpus/docs` made, SAMPLES
that of `adapters/samples/documents`, each in a home of its own and with all its vectors in. Questions fall into two
halves by the hash of their id: one is fitted, the other is only reported. Small corpora are drawn from the large one,
so that the weights hold for ten leaflets as for a thousand pages.

The strongest of the first five hits counts, in the order of the offline reranker, so that is fitted first. How the
same weights grade without it, where a reranker fails or is switched off, is reported beside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import grade_questions
import numpy as np
from grade_questions import KINDS, WORDINGS, Question, name_of

from retrieval.fitted_rerank import FittedReranker
from retrieval.grade import FITTED, JUDGED, Grader, Model, Signals, signals, wanted_terms
from retrieval.local import LocalEmbedder
from retrieval.rerank import RERANKED, reordered
from retrieval.spread import spread
from retrieval.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.embed import Vector
    from retrieval.evidence import Hit
    from retrieval.index import Index

BY_WORDS = ("coverage", "topic", "asked", "unknown", "size")
SIGNALS = {"by_words": BY_WORDS, "with_vectors": ("cosine", *BY_WORDS)}
LOW, HIGH = 0.5, 0.8
BELOW = {"by_words": (0.87, 0.97), "with_vectors": (0.92, 0.98)}
"""The shares of the fitted half's unanswerable questions that the two thresholds leave below them. At the first, about
as large a share of the answerable ones is wrongly declined as of the others is not.
"""

RIDGE = 1.0
WEIGHTS = (
    dict.fromkeys(WORDINGS, 4.0)
    | dict.fromkeys(KINDS, 3.0)
    | {"heading": 0.25, "follow-up": 0.25, "off topic": 1.0, "everyday": 2.0, "letter": 4.0}
    | {"leaflets": 4.0, "not in leaflets": 3.0, "everyday, leaflets": 1.0}
    | {"drawn": 1.5, "drawn heading": 0.3, "not drawn": 1.5, "declined, drawn": 1.0}
)
"""What one question of a group counts in the fit: real ones more than those that a template made."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one search found: the signals of the hits that are judged, and the documents in order.

    `unranked` are the signals of those that would be judged without the reranker.
    """

    question: Question
    signals: tuple[Signals, ...]
    unranked: tuple[Signals, ...]
    documents: tuple[str, ...]


async def find(index: Index, questions: Sequence[Question], vectors: Mapping[str, Vector] | None) -> list[Found]:
    """Search for each question and rerank, by words alone where there are no vectors."""
    reranker = FittedReranker.fitted(index)
    found = []
    for question in questions:
        hits = await index.search(question.text, vectors[question.text] if vectors else None, k=50)
        first, rest = hits[:RERANKED], hits[RERANKED:]
        ranked = [*reordered(first, await reranker.scores(question.text, first)), *rest]
        judged, unranked = [await known(index, question.text, order) for order in (ranked, spread(hits))]
        documents = tuple(dict.fromkeys(name_of(hit.document) for hit in ranked))
        found.append(Found(question, judged, unranked, documents))
    return found


async def known(index: Index, question: str, hits: Sequence[Hit]) -> tuple[Signals, ...]:
    """The signals of the hits that are judged."""
    total, frequencies = await index.document_frequencies(wanted_terms(question, hits))
    return tuple(signals(question, hit, total, frequencies) for hit in hits[:JUDGED])


async def gather(shared: Path, index: Path, samples: Path) -> dict[str, list[Found]]:
    """Every question's search, in both modes."""
    questions = grade_questions.public(shared / "data")
    everyday, letters = grade_questions.own("everyday", "everyday"), grade_questions.own("letters", "letter")
    whole = [*questions, *everyday, *letters]
    leaflets = [
        *grade_questions.own("in_samples", "leaflets", answerable=True),
        *grade_questions.own("not_in_samples", "not in leaflets"),
        *(Question("everyday, leaflets", one.id, one.text, answerable=False) for one in [*everyday, *letters]),
    ]
    corpus = grade_questions.read_index(index)
    names = [name_of(document) for document, _ in corpus]
    small = [
        ([entry for entry, name in zip(corpus, names, strict=True) if name in chosen], asked)
        for chosen, asked in grade_questions.drawn(whole, names)
    ]
    small.append((grade_questions.read_index(samples), leaflets))
    texts = list(dict.fromkeys(question.text for question in [*whole, *leaflets]))
    embedder = LocalEmbedder.minilm()
    vectors = dict(zip(texts, await embedder.embed_passages(texts), strict=True))
    opened = await SqliteIndex.open(index, embedder=(embedder.name, embedder.dimensions))
    modes = {}
    for mode, given in (("by_words", None), ("with_vectors", vectors)):
        modes[mode] = await find(opened, whole, given)
        for documents, asked in small:
            modes[mode] += await find(await grade_questions.small_index(documents), asked, given)
    await opened.close()
    return modes


def fit(found: Sequence[Found], names: Sequence[str], below: tuple[float, float]) -> Model:
    """A ridge logistic regression on each question's strongest hit, which the fit itself keeps choosing anew."""
    used = [one for one in found if one.question.fitted and one.signals]
    tables = [np.array([[asdict(known)[name] for name in names] for known in one.signals]) for one in used]
    centre, spread = np.concatenate(tables).mean(axis=0), np.concatenate(tables).std(axis=0)
    tables = [(table - centre) / spread for table in tables]
    answerable = np.array([one.question.answerable for one in used], float)
    counts = np.array([WEIGHTS[one.question.group] for one in used])
    chosen = [0] * len(used)
    for _ in range(8):
        x = np.array([table[at] for table, at in zip(tables, chosen, strict=True)])
        solution = regress(x, answerable, counts)
        chosen = [int(np.argmax(table @ solution[:-1])) for table in tables]
    weights = solution[:-1] / spread
    model = Model(float(solution[-1] - weights @ centre), dict(zip(names, map(float, weights), strict=True)))
    return scaled(model, found, below)


def regress(x: NDArray[np.float64], y: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Newton's method; the last number is the intercept, which the ridge leaves alone."""
    x = np.column_stack([x, np.ones(len(x))])
    ridge = np.diag([RIDGE] * (x.shape[1] - 1) + [1e-6])
    solution = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ solution))
        gradient = x.T @ (counts * (p - y)) + ridge @ solution
        solution -= np.linalg.solve((x * (counts * p * (1 - p))[:, None]).T @ x + ridge, gradient)
    return solution


def scaled(model: Model, found: Sequence[Found], below: tuple[float, float]) -> Model:
    """The same order, shifted and stretched so that the thresholds fall on `LOW` and `HIGH`."""
    declined = [best(model.strength, one) for one in found if one.question.fitted and one.question.group in KINDS]
    low, high = (logit(float(np.quantile(declined, share))) for share in below)
    stretch = (logit(HIGH) - logit(LOW)) / (high - low)
    return Model((model.bias - low) * stretch, {name: weight * stretch for name, weight in model.weights.items()})


def logit(p: float) -> float:
    return float(np.log(p / (1 - p)))


def best(strength: Callable[[Signals], float], one: Found) -> float:
    """As `Grader.judge` does."""
    return max(map(strength, one.signals), default=0.0)


def report(modes: Mapping[str, Sequence[Found]], grader: Grader) -> None:
    """Print, for both halves and modes, the share of each group that is declined; then how well the search finds.

    `unranked` is the share declined in the order that stands where no reranker ran.
    """
    print(f"{'% declined (questions)':30}" + "".join(f"{mode + ', ' + half:>24}" for mode in modes for half in HALVES))
    unranked = {mode: [replace(one, signals=one.unranked) for one in found] for mode, found in modes.items()}
    rows = [(group, group, modes) for group in (*WEIGHTS, *TOGETHER)]
    rows += [(f"{group}, unranked", group, unranked) for group in TOGETHER]
    for name, group, found_in in rows:
        cells = [cell(found, grader, group, half == "fitted") for found in found_in.values() for half in HALVES]
        print(f"{name:30}" + "".join(f"{text:>24}" for text in cells))
    print(f"\n{'found, by document':30}" + "".join(f"{name:>24}" for name in ("hit@5", "recall@20", "MRR")))
    for mode, found in modes.items():
        for group in WORDINGS:
            ranked = [one for one in found if one.question.group == group]
            figures = "".join(f"{figure:24.3f}" for figure in np.mean([how_well(one) for one in ranked], axis=0))
            print(f"{f'{mode}, {group} ({len(ranked)})':30}{figures}")


def how_well(one: Found) -> tuple[float, float, float]:
    """Whether an answering document is among the first five, how many are among 20, one over the first one's rank."""
    answering = [document in one.question.gold for document in one.documents]
    reciprocal = 1 / (answering.index(True) + 1) if True in answering else 0.0
    return float(any(answering[:5])), sum(answering[:20]) / len(one.question.gold), reciprocal


HALVES = ("fitted", "not seen")
TOGETHER = {"all three wordings": WORDINGS, "all four kinds": KINDS}


def cell(found: Sequence[Found], grader: Grader, group: str, fitted: bool) -> str:
    """The share declined, and of how many."""
    groups = TOGETHER.get(group, (group,))
    asked = [one for one in found if one.question.group in groups and one.question.fitted is fitted]
    declined = [grader.grade(best(grader.strength, one)) == "incorrect" for one in asked]
    return f"{100 * float(np.mean(declined)):.0f} ({len(asked)})" if asked else "-"


def write(modes: Mapping[str, Sequence[Found]]) -> None:
    """Fit both models and store them with what they were fitted on."""
    sizes: dict[str, int] = defaultdict(int)
    for one in modes["by_words"]:
        sizes[one.question.group] += one.question.fitted
    fitted = {mode: fit(found, SIGNALS[mode], BELOW[mode]) for mode, found in modes.items()}
    data = {
        "about": "Weights of retrieval/grade.py, by signal; made by scripts/fit_grade.py, not by hand.",
        "fitted_on": dict(sizes),
        "low": LOW,
        "high": HIGH,
        **{mode: asdict(model) for mode, model in fitted.items()},
    }
    text = json.dumps(data, indent=2, default=float)
    FITTED.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("samples", type=Path)
    parser.add_argument("--report", action="store_true", help="only report")
    options = parser.parse_args()
    modes = asyncio.run(gather(options.shared, options.index, options.samples))
    if not options.report:
        write(modes)
    report(modes, Grader.fitted())


if __name__ == "__main__":
    main()
