"""Fits the grader's weights on questions with known answers, and reports how it grades those it has not seen.

    python -m scripts.fit_grade SHARED INDEX SAMPLES             fit, write retrieval/data/grade.json, report
    python -m scripts.fit_grade SHARED INDEX SAMPLES --report    report on the weights as they stand

SHARED is the folder that holds `data/`. INDEX is the file that `citewell ingest SHARED/data/corpus/docs` made, SAMPLES
that of `adapters/samples/documents`, each in a home of its own and with all its vectors in. Questions fall into two
halves by the hash of their id: one is fitted, the other is only reported. Small corpora are drawn from the large one,
so that the weights hold for ten leaflets as for a thousand pages.

The strongest of the first five hits counts, in the order in which the product grades them: its own `Searcher` runs,
with the offline reranker, so that is fitted first. How the same weights grade without a reranker is reported beside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evidence import Query
from retrieval.fitted_rerank import FittedReranker
from retrieval.grade import FITTED, JUDGED, Grader, Model, Signals, Verdict, signals
from retrieval.local import LocalEmbedder
from retrieval.search import PipelineSettings, Searcher
from retrieval.sqlite_index import SqliteIndex
from scripts.grade_questions import drawn, own, read_index, small_index
from scripts.public_sets import KINDS, WORDINGS, Question, name_of, public
from scripts.remembering import Remembering

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.embed import Embedder
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


PATIENCE = 600.0
"""Seconds. On a busy machine no stage may be left out of what is fitted for having been slow."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one search found: the signals of the hits that are judged.

    `unranked` are those of the hits that are judged where there is no reranker, looked up for what is reported only.
    """

    question: Question
    signals: tuple[Signals, ...]
    unranked: tuple[Signals, ...]


class Watching(Grader):
    """A grader that keeps the signals of what it judged."""

    seen: tuple[Signals, ...] = ()

    def judge(self, question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> Verdict:
        self.seen = tuple(signals(question, hit, total, frequencies) for hit in hits[:JUDGED])
        return super().judge(question, hits, total, frequencies)


async def judged(searcher: Searcher, grader: Watching, question: str, mode: str) -> tuple[Signals, ...]:
    """The signals of the hits that this search has judged; none where it finds nothing."""
    grader.seen = ()
    pipeline = PipelineSettings(hybrid=mode == "with_vectors")
    evidence = await searcher.search(Query(question, question), pipeline=pipeline)
    if lacking := [stage.degraded for stage in evidence.stages if stage.degraded]:
        msg = f"A search went without a stage, so it is not what is to be fitted: {lacking}."
        raise RuntimeError(msg)
    return grader.seen


async def find(index: Index, embedder: Embedder, questions: Sequence[Question], mode: str) -> list[Found]:
    """Search for each question as the product does, with its reranker and without."""
    grader = Watching.fitted()
    reranker = FittedReranker.fitted(index)
    ranked = Searcher(index, embedder, grader, reranker=reranker, patience=PATIENCE)
    plain = Searcher(index, embedder, grader, patience=PATIENCE)
    found = []
    for question in questions:
        reported = question.group in {*WORDINGS, *KINDS}
        found.append(
            Found(
                question,
                await judged(ranked, grader, question.text, mode),
                await judged(plain, grader, question.text, mode) if reported else (),
            )
        )
    return found


async def gather(shared: Path, index: Path, samples: Path) -> dict[str, list[Found]]:
    """Every question's search, in both modes."""
    everyday, letters = own("everyday", "everyday"), own("letters", "letter")
    whole = [*public(shared / "data"), *everyday, *letters]
    leaflets = [
        *own("in_samples", "leaflets", answerable=True),
        *own("not_in_samples", "not in leaflets"),
        *(Question("everyday, leaflets", one.id, one.text, answerable=False) for one in [*everyday, *letters]),
    ]
    corpus = read_index(index)
    names = [name_of(document) for document, _ in corpus]
    small = [
        ([entry for entry, name in zip(corpus, names, strict=True) if name in chosen], asked)
        for chosen, asked in drawn(whole, names)
    ]
    small.append((read_index(samples), leaflets))
    embedder = Remembering(LocalEmbedder.minilm())
    modes: dict[str, list[Found]] = {mode: [] for mode in SIGNALS}
    with tempfile.TemporaryDirectory() as folder:
        opened = await SqliteIndex.open(index, embedder=(embedder.name, embedder.dimensions))
        indexes = [(opened, whole)]
        for number, (documents, asked) in enumerate(small):
            indexes.append((await small_index(Path(folder) / f"{number}.db", documents, embedder), asked))
        for searched, asked in indexes:
            for mode in modes:
                modes[mode] += await find(searched, embedder, asked, mode)
            await searched.close()
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
    """Print, for both halves and modes, the share of each group that is declined.

    `unranked` is the share declined in the order that stands where there is no reranker.
    """
    print(f"{'% declined (questions)':30}" + "".join(f"{mode + ', ' + half:>24}" for mode in modes for half in HALVES))
    unranked = {mode: [replace(one, signals=one.unranked) for one in found] for mode, found in modes.items()}
    rows = [(group, group, modes) for group in (*WEIGHTS, *TOGETHER)]
    rows += [(f"{group}, unranked", group, unranked) for group in TOGETHER]
    for name, group, found_in in rows:
        cells = [cell(found, grader, group, half == "fitted") for found in found_in.values() for half in HALVES]
        print(f"{name:30}" + "".join(f"{text:>24}" for text in cells))


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
