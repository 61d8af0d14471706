"""The figures of an evaluation: what is measured of each question, its mean, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.claude_message import Usage
from bot.claude_models import dollars
from retrieval.evaluate import Figure, hit, mean, ndcg, recall, reciprocal_rank, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.measure import Trial
    from bot.trace import Span

TURN = "turn"
"""The name under which the stages' table has the whole turn."""
_COUNTS = [field.name for field in fields(Usage) if field.name != "model"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: its stable name, what people read, the questions it is over, and what it is of one of them."""

    name: str
    label: str
    answerable: bool
    searched: bool
    of: Callable[[Trial], float]
    is_share: bool

    def values(self, trials: Sequence[Trial]) -> list[float]:
        """One value a question that it is over, in order."""
        return [
            float(self.of(one))
            for one in trials
            if one.posed.answerable is self.answerable and not (self.searched and one.strength is None)
        ]

    def figure(self, trials: Sequence[Trial]) -> Figure | None:
        """The mean with its interval; None without a question."""
        values = self.values(trials)
        return share([value > 0 for value in values]) if self.is_share else mean(values)


MEASURES = (
    Measure("ndcg@10", "nDCG@10", True, True, lambda one: ndcg(one.ranking, one.posed.grades), False),
    Measure("recall@20", "recall@20", True, True, lambda one: recall(one.ranking, one.posed.grades), False),
    Measure("mrr", "MRR", True, True, lambda one: reciprocal_rank(one.ranking, one.posed.grades), False),
    Measure("hit@5", "hit@5", True, True, lambda one: hit(one.ranking, one.posed.grades), True),
    Measure("answered_right", "answered from a right document", True, False, lambda one: one.right, True),
    Measure(
        "answered_other", "answered from others only", True, False, lambda one: one.answered and not one.right, True
    ),
    Measure("wrongly_declined", "wrongly declined", True, False, lambda one: one.declined, True),
    Measure("declined", "declined", False, False, lambda one: one.declined, True),
    Measure("answered_unanswerable", "answered", False, False, lambda one: one.answered, True),
)


@dataclass(frozen=True, slots=True)
class StageFigures:
    """What one stage took over all turns, and the backends that ran; `dollars` is None where a price is not known."""

    stage: str
    backends: tuple[str, ...]
    turns: int
    p50_ms: float
    p95_ms: float
    total_ms: float
    degraded: int
    input_tokens: int
    output_tokens: int
    dollars: float | None


def figures(trials: Sequence[Trial]) -> dict[str, Figure]:
    """Every figure that there are questions for, by name."""
    found = {measure.name: measure.figure(trials) for measure in MEASURES}
    return {name: figure for name, figure in found.items() if figure is not None}


def differences(trials: Sequence[Trial], base: Sequence[Trial]) -> dict[str, Figure]:
    """By how much each figure differs from another run over the same questions, question by question."""
    found = {}
    for measure in MEASURES:
        pairs = zip(measure.values(trials), measure.values(base), strict=True)
        figure = mean([value - before for value, before in pairs])
        if figure is not None:
            found[measure.name] = figure
    return found


def stages(trials: Sequence[Trial]) -> list[StageFigures]:
    """Every stage in the order it ran, then the whole turn."""
    spans: dict[str, list[Span]] = {}
    for trial in sorted(trials, key=lambda one: -len(one.spans)):  # a whole turn first, for the order
        for span in trial.spans:
            spans.setdefault(span.stage, []).append(span)
    rows = [_stage(name, [span.milliseconds for span in ran], ran) for name, ran in spans.items()]
    every = [span for ran in spans.values() for span in ran]
    return [*rows, _stage(TURN, [trial.milliseconds for trial in trials], every, backends=())]


def other_endings(trials: Sequence[Trial]) -> dict[str, int]:
    """How many turns ended neither in an answer nor in a decline, by kind."""
    return dict(Counter(one.kind.value for one in trials if not (one.answered or one.declined)))


def details(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """What became of each question, without its words."""
    return [
        {
            "id": one.posed.id,
            "answerable": one.posed.answerable,
            "kind": one.kind.value,
            "right": one.right if one.posed.judged else None,
            "strength": one.strength,
            "rank": next((at for at, id_ in enumerate(one.ranking, start=1) if id_ in one.posed.grades), None),
        }
        for one in trials
    ]


def _stage(
    name: str, times: Sequence[float], spans: Sequence[Span], *, backends: tuple[str, ...] | None = None
) -> StageFigures:
    usages = [usage for span in spans if (usage := _usage(span))]
    costs = [dollars(usage) for usage in usages]
    ran = dict.fromkeys(str(span.attributes["backend"]) for span in spans if "backend" in span.attributes)
    p50, p95 = (float(np.quantile(times, q)) if times else 0.0 for q in (0.5, 0.95))
    return StageFigures(
        stage=name,
        backends=tuple(ran) if backends is None else backends,
        turns=len(times),
        p50_ms=round(p50, 2),
        p95_ms=round(p95, 2),
        total_ms=round(sum(times), 1),
        degraded=sum("degraded" in span.attributes for span in spans),
        input_tokens=sum(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        dollars=None if None in costs else math.fsum(one for one in costs if one is not None),
    )


def _usage(span: Span) -> Usage | None:
    """The tokens that a stage's calls were billed for, where it made any."""
    noted = span.attributes
    if "input_tokens" not in noted:
        return None
    return Usage(str(noted["model"]), *(int(noted[name]) for name in _COUNTS))
