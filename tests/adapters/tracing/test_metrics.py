"""Turns counted as Prometheus reads them."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from adapters.tracing.metrics import Metrics
from memory.turn import TurnKind
from tests.adapters.tracing.records import SEARCH, a_record


def counted(metrics: Metrics) -> dict[tuple[str, frozenset[str]], float]:
    """Every sample by its name and the values of its labels."""
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {(one.name, frozenset(one.labels.values())): one.value for family in families for one in family.samples}


def test_kinds_declines_and_reasons_are_counted() -> None:
    metrics = Metrics()
    metrics.keep(a_record())
    metrics.keep(a_record("t2", kind=TurnKind.UNGROUNDED, declined="weak evidence", stages=(SEARCH,)))
    found = counted(metrics)
    assert found["citewell_turns_total", frozenset({"slack", "fact"})] == 1
    assert found["citewell_declined_total", frozenset({"weak evidence"})] == 1
    assert found["citewell_dropped_sentences_total", frozenset({"figure"})] == 1
    assert found["citewell_stage_seconds_count", frozenset({"retrieval"})] == 2
    assert found["citewell_tokens_total", frozenset({"input"})] == 600


def test_two_of_them_do_not_mix() -> None:
    one, other = Metrics(), Metrics()
    one.keep(a_record())
    assert ("citewell_turns_total", frozenset({"slack", "fact"})) not in counted(other)
