"""Figures are over the questions they speak of, and a difference that may be chance is not starred."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from adapters.evaluation_report import report, side_by_side
from adapters.figures import differences, figures, other_endings
from adapters.measure import Posed, Trial
from bot.claude_message import Usage
from bot.messages import TurnKind
from bot.trace import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syrupy.assertion import SnapshotAssertion


def trial(
    kind: TurnKind = TurnKind.FACT,
    *,
    ranking: Sequence[str] = ("a", "b"),
    answerable: bool = True,
    searched: bool = True,
) -> Trial:
    billed = Usage("claude-sonnet-5-5", 2000, 0, 0, 0)
    spans = (
        Span("retrieval", 12.0, {"grade": "correct"}),
        Span("search", 10.0, {"backend": "sqlite"}),
        Span("answer", 900.0, {"backend": billed.model, **asdict(billed)}),
    )
    return Trial(
        posed=Posed("q", "When?", {"a": 3} if answerable else {}),
        kind=kind,
        ranking=tuple(ranking) if searched else (),
        strength=0.9 if searched else None,
        cited=frozenset(ranking[:1]) if kind is TurnKind.FACT else frozenset(),
        milliseconds=915.0,
        spans=spans if searched else (),
    )


RIGHT = trial()
OTHER = trial(ranking=["b", "a"])
DECLINED = trial(TurnKind.UNGROUNDED)
UNANSWERABLE = trial(TurnKind.UNGROUNDED, answerable=False)
CRISIS = trial(TurnKind.CRISIS, searched=False)


def test_each_figure_is_over_the_questions_it_speaks_of() -> None:
    found = figures([RIGHT, OTHER, DECLINED, UNANSWERABLE, CRISIS])
    assert {name: (round(one.value, 3), one.n) for name, one in found.items()} == {
        "ndcg@10": (0.877, 3),
        "recall@20": (1, 3),
        "mrr": (0.833, 3),
        "hit@5": (1, 3),
        "answered_right": (0.25, 4),
        "answered_other": (0.25, 4),
        "wrongly_declined": (0.25, 4),
        "declined": (1, 1),
        "answered_unanswerable": (0, 1),
    }
    assert other_endings([RIGHT, CRISIS]) == {"crisis": 1}


def test_a_refusal_is_a_decline_and_an_error_is_none() -> None:
    found = figures([trial(TurnKind.REFUSAL, answerable=False), trial(TurnKind.ERROR, answerable=False)])
    assert found["declined"].value == 0.5


def test_only_a_difference_that_is_no_chance_is_starred() -> None:
    base = [RIGHT] * 30
    surely, perhaps = [OTHER] * 30, [OTHER, *[RIGHT] * 29]
    assert differences(surely, base)["mrr"].high < 0
    assert differences(perhaps, base)["mrr"].high == 0
    table = side_by_side(base, {"rerank": surely, "hyde": perhaps}).splitlines()
    mrr = next(line for line in table if line.startswith("MRR"))
    assert mrr.split() == ["MRR", "1.000", "0.500", "(-0.500)*", "0.983", "(-0.017)"]


def test_what_a_person_reads(snapshot: SnapshotAssertion) -> None:
    asked = [*[RIGHT] * 6, OTHER, DECLINED, *[UNANSWERABLE] * 9, CRISIS]
    assert report(asked) == snapshot


def test_where_one_kind_of_question_is_missing_so_are_its_figures() -> None:
    assert list(figures([UNANSWERABLE])) == ["declined", "answered_unanswerable"]
    assert "Search" not in report([UNANSWERABLE])
    assert "Unanswerable" not in report([RIGHT])
