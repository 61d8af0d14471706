"""An evaluation as people read it: figures with their intervals, stages, and runs side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adapters.figures import MEASURES, TURN, details, differences, figures, other_endings, stages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.figures import Measure, StageFigures
    from adapters.measure import Trial
    from retrieval.evaluate import Figure
    from retrieval.index import IndexStatus

_INSIDE = {"embed", "hyde", "search", "rerank", "grade", "rewrite"}
"""Stages of a search, whose time is part of the one above them."""
_STAR = "* the 95 % interval of the difference, question by question, does not hold zero"


def report(trials: Sequence[Trial]) -> str:
    """One run: figures, then what each stage took."""
    found = figures(trials)
    rows: list[Sequence[str]] = [("", "", "95 % interval")]
    for title, measures in _groups():
        if shown := [measure for measure in measures if measure.name in found]:
            rows.append((f"{title} ({found[shown[-1].name].n})", "", ""))
            rows += [(f"  {one.label}", *_figure(one, found[one.name])) for one in shown]
    parts = [table(rows)]
    if others := other_endings(trials):
        parts.append("Ended otherwise: " + ", ".join(f"{count} {kind}" for kind, count in others.items()))
    if unjudged := sum(not one.posed.judged for one in trials):
        parts.append(f"Asked but not judged yet, so in no figure: {unjudged} (docs/evaluate.md)")
    parts.append(_stages(stages(trials)))
    return "\n\n".join(parts)


def side_by_side(base: Sequence[Trial], without: Mapping[str, Sequence[Trial]]) -> str:
    """Every run's figures beside those with all stages on, and by how much they differ."""
    found = figures(base)
    rows: list[Sequence[str]] = [("", "all stages", *(f"without {name}" for name in without))]
    each = {name: (figures(trials), differences(trials, base)) for name, trials in without.items()}
    for measure in MEASURES:
        if measure.name in found:
            cells = [
                f"{_value(measure, theirs[measure.name].value)} {_change(measure, change[measure.name])}"
                for theirs, change in each.values()
            ]
            group = "" if measure.answerable else "unanswerable: "
            rows.append((f"{group}{measure.label}", _value(measure, found[measure.name].value), *cells))
    times = [stages(trials)[-1] for trials in (base, *without.values())]
    rows.append(("whole turn, p50", *(f"{one.p50_ms:.0f} ms" for one in times)))
    rows.append(("cost of all turns", *(_dollars(one) for one in times)))
    shown = table(rows)
    return f"{shown}\n\n{_STAR}" if "*" in shown else shown


def evaluation_json(
    base: Sequence[Trial],
    without: Mapping[str, Sequence[Trial]],
    status: IndexStatus,
    *,
    left_out: int,
    of: int,
) -> dict[str, Any]:
    """What `citewell evaluate --json` gives; the names are stable. `of` is how many questions there were to ask."""
    return {
        "questions": {
            "answerable": sum(one.posed.answerable is True for one in base),
            "unanswerable": sum(one.posed.answerable is False for one in base),
            "unjudged": sum(not one.posed.judged for one in base),
            "left_out": left_out,
            "of": of,
        },
        "index": {
            "documents": status.documents,
            "passages": status.passages,
            "embedded": status.embedded,
            "model": status.model,
        },
        **_run_json(base),
        "ablations": [
            {
                "without": name,
                **_run_json(trials),
                "differences": {key: asdict(figure) for key, figure in differences(trials, base).items()},
            }
            for name, trials in without.items()
        ],
        "details": details(base),
    }


def table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns as wide as they must be: the first `left` of them to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{100 * share:.0f} %"


def interval(figure: Figure) -> str:
    """The interval of a share."""
    return f"{100 * figure.low:.0f} to {100 * figure.high:.0f} %"


def _run_json(trials: Sequence[Trial]) -> dict[str, Any]:
    return {
        "figures": {name: asdict(figure) for name, figure in figures(trials).items()},
        "other_endings": other_endings(trials),
        "stages": [asdict(stage) for stage in stages(trials)],
    }


def _groups() -> list[tuple[str, list[Measure]]]:
    return [
        ("Search, answerable questions", [one for one in MEASURES if one.searched]),
        ("Answerable questions", [one for one in MEASURES if one.answerable and not one.searched]),
        ("Unanswerable questions", [one for one in MEASURES if not one.answerable]),
    ]


def _figure(measure: Measure, figure: Figure) -> tuple[str, str]:
    if measure.is_share:
        return percent(figure.value), interval(figure)
    return f"{figure.value:.3f}", f"{figure.low:.3f} to {figure.high:.3f}"


def _value(measure: Measure, value: float) -> str:
    return percent(value) if measure.is_share else f"{value:.3f}"


def _change(measure: Measure, change: Figure) -> str:
    sure = "*" if change.low > 0 or change.high < 0 else " "
    shown = f"{100 * change.value:+.0f}" if measure.is_share else f"{change.value:+.3f}"
    return f"({shown}){sure}"


def _stages(found: Sequence[StageFigures]) -> str:
    head = "Stage", "backend", "turns", "p50 ms", "p95 ms", "total s", "tokens", "cost"
    return table([head, *map(_stage, found)], left=2)


def _stage(one: StageFigures) -> Sequence[str]:
    name = "whole turn" if one.stage == TURN else f"{'  ' * (one.stage.split()[0] in _INSIDE)}{one.stage}"
    degraded = f" ({one.degraded} degraded)" if one.degraded else ""
    times = f"{one.p50_ms:.1f}", f"{one.p95_ms:.1f}", f"{one.total_ms / 1000:.1f}"
    tokens = f"{one.input_tokens + one.output_tokens:,}" if one.input_tokens else "-"
    return name, ", ".join(one.backends) + degraded, str(one.turns), *times, tokens, _dollars(one)


def _dollars(stage: StageFigures) -> str:
    if not stage.input_tokens:
        return "-"
    return "price unknown" if stage.dollars is None else f"${stage.dollars:.4f}"
