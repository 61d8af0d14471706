"""A calibration as people and programs read it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adapters.chart import draw_picture, drawn
from adapters.evaluation_report import interval, percent, table
from retrieval.calibrate import CONFIDENT, Point, choose, cross_validated, curve, point

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.calibrate import Choice, Strengths
    from retrieval.evaluate import Figure
    from retrieval.grade import Grader

_SHOWN = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Calibration:
    """The thresholds chosen from strengths, beside those in force now."""

    def __init__(self, strengths: Strengths, now: Grader, *, declines: float, embedder: str, reranker: str) -> None:
        self.strengths = strengths
        self.chosen: Choice = choose(strengths, declines=declines)
        self.curve: list[Point] = curve(strengths)
        self._now = now
        self._declines = declines
        self._embedder = embedder
        self._reranker = reranker

    @property
    def made_from(self) -> str:
        """The questions and the backends that the strengths come from, and so what the thresholds hold for."""
        strengths = self.strengths
        asked = f"{len(strengths.answerable)} answerable and {len(strengths.unanswerable)} unanswerable questions"
        return f"{asked}; embedding: {self._embedder}; reranker: {self._reranker}"

    def as_json(self, written: Path | None, picture: Path | None) -> dict[str, Any]:
        """What `citewell calibrate --json` gives; the names are stable."""
        declined, wrongly = cross_validated(self.strengths, declines=self._declines)
        return {
            "embedder": self._embedder,
            "reranker": self._reranker,
            "questions": {
                "answerable": len(self.strengths.answerable),
                "unanswerable": len(self.strengths.unanswerable),
            },
            "declines": self._declines,
            "evidence": self.chosen.evidence,
            "confident": self.chosen.confident,
            "enough": self.chosen.enough,
            "fitted": _shares(point(self.strengths, self.chosen.evidence)),
            "cross_validated": {
                "declined": declined and asdict(declined),
                "wrongly_declined": wrongly and asdict(wrongly),
            },
            "before": {
                "evidence": self._now.evidence,
                "confident": self._now.confident,
                **_shares(point(self.strengths, self._now.evidence)),
            },
            "curve": [{"threshold": one.threshold, **_shares(one)} for one in self.curve],
            "written": str(written) if written else None,
            "png": str(picture) if picture else None,
        }

    def report(self, *, unicode: bool) -> str:
        """The curve as a table and a chart, then what was chosen and why."""
        at = sorted({*_SHOWN, self.chosen.evidence, self._now.evidence})
        rows: list[Sequence[str]] = [("threshold", "unanswerable declined", "answerable declined", "")]
        rows += [self._row(point(self.strengths, threshold)) for threshold in at]
        return "\n\n".join(
            [
                self.made_from,
                table(rows),
                drawn(self.curve, self.chosen, unicode=unicode),
                self._conclusion(),
            ]
        )

    def draw(self, file: Path) -> None:
        """The chart as a PNG. Blocking."""
        draw_picture(file, self.curve, self.chosen, below=self.made_from)

    def _row(self, at: Point) -> tuple[str, str, str, str]:
        notes = [("chosen", self.chosen.evidence), ("in force now", self._now.evidence)]
        marks = ", ".join(name for name, threshold in notes if threshold == at.threshold)
        return f"{at.threshold:.3f}", percent(at.declined), percent(at.wrongly), f"<- {marks}" if marks else ""

    def _conclusion(self) -> str:
        chosen, declines = self.chosen, percent(self._declines)
        fitted = point(self.strengths, chosen.evidence)
        declined, wrongly = cross_validated(self.strengths, declines=self._declines)
        why = (
            f"the lowest that declines at least {declines} of the unanswerable"
            if chosen.enough
            else f"no threshold declines {declines} of the unanswerable and keeps half of the answerable; this is the"
            " one with the widest gap between the two"
        )
        rows: list[Sequence[str]] = [
            ("", "unanswerable declined", "answerable declined"),
            ("on these questions", percent(fitted.declined), percent(fitted.wrongly)),
            ("cross-validated", _sure(declined), _sure(wrongly)),
        ]
        above = percent(1 - point(self.strengths, chosen.confident).declined)
        aim = percent(1 - CONFIDENT)
        return "\n\n".join(
            [
                f"Evidence threshold {chosen.evidence:.3f}: {why}.",
                table(rows),
                "Expect the second line: there, each tenth of the questions is judged by what the others chose.",
                f"Confident threshold {chosen.confident:.3f}: {above} of the unanswerable reach it (aim: {aim}).",
            ]
        )


def _shares(at: Point) -> dict[str, float]:
    return {"declined": at.declined, "wrongly_declined": at.wrongly}


def _sure(figure: Figure | None) -> str:
    return "-" if figure is None else f"{percent(figure.value)} ({interval(figure)})"
