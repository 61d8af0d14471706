"""A trace says what each stage did, in counts and times."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from bot.trace import Trace, count, note, part


def test_a_stage_is_timed_and_keeps_what_was_noted_and_counted_in_it() -> None:
    trace = Trace("t1", clock=map(float, itertools.count()).__next__)
    with trace.stage("answer") as span:
        span.set(backend="extractive")
        count("claude-test", input_tokens=12)
    assert trace.spans[0].attributes == {"backend": "extractive", "model": "claude-test", "input_tokens": 12}
    assert trace.spans[0].milliseconds == 1000


def test_the_line_ends_with_what_all_stages_took_and_spent() -> None:
    trace = Trace("t1", clock=map(float, itertools.count()).__next__)
    with trace.stage("retrieval") as span:
        span.set(hits=8)
        with part("rerank"):
            count("claude-small", input_tokens=12, dollars=0.00001)
        trace.add("rerank", 500.0)
    with trace.stage("answer"):
        count("claude-test", input_tokens=300, dollars=0.002)
        count("claude-test", input_tokens=1, dollars=0.00003)
        with trace.stage("within"):
            count("local", input_tokens=5, unpriced_calls=1)
    assert trace.spent == {"input_tokens": 318, "dollars": pytest.approx(0.00204), "unpriced_calls": 1}
    assert str(trace).endswith(" | turn 4000.0 ms input_tokens=318 dollars=0.002040 unpriced_calls=1")


def test_a_turn_that_asked_no_model_spent_nothing() -> None:
    trace = Trace("t1")
    with trace.stage("answer") as span:
        span.set(backend="extractive", hits=8)
    assert trace.spent == {}
    assert str(trace).endswith("backend=extractive hits=8")


def test_a_stage_that_raises_is_timed_too_and_names_the_error() -> None:
    trace = Trace("t1")
    with pytest.raises(KeyError), trace.stage("answer"):
        raise KeyError("words")
    assert trace.spans[0].attributes == {"error": "KeyError"}


def test_what_a_backend_says_of_the_stage_that_it_is_in_is_kept_and_outside_any_lost() -> None:
    trace = Trace("t1")
    with trace.stage("followup") as span:
        span.set(backend="claude-test")
        note(backend="rules", degraded="Transient")
    note(backend="nobody")
    assert trace.spans[0].attributes == {"backend": "rules", "degraded": "Transient"}


def test_a_count_outside_any_stage_is_lost() -> None:
    trace = Trace("t1")
    with trace.stage("answer"):
        pass
    count("claude-test", input_tokens=12)
    assert trace.spans[0].attributes == {}


async def test_what_is_counted_side_by_side_adds_up() -> None:
    async def ask(tokens: int) -> None:
        await asyncio.sleep(0)
        count("claude-test", input_tokens=tokens)

    trace = Trace("t1")
    with trace.stage("answer"):
        async with asyncio.TaskGroup() as group:
            for tokens in (1, 20, 300):
                group.create_task(ask(tokens))
    assert trace.spans[0].attributes == {"model": "claude-test", "input_tokens": 321}


def test_what_a_part_counts_is_of_the_stage_that_is_added_under_its_name() -> None:
    trace = Trace("t1")
    with trace.stage("retrieval"):
        count("claude-test", input_tokens=1)
        with part("rerank"):
            count("claude-test", input_tokens=20)
        count("claude-test", input_tokens=300)
        trace.add("search", 2.0, returned=8)
        trace.add("rerank", 1.0, returned=8)
        trace.add("rerank", 1.0, returned=8)
    assert [(span.stage, span.attributes.get("input_tokens")) for span in trace.spans] == [
        ("retrieval", 301),
        ("search", None),
        ("rerank", 20),
        ("rerank", None),
    ]


def test_a_part_outside_any_stage_is_lost() -> None:
    with part("rerank"):
        count("claude-test", input_tokens=20)
    trace = Trace("t1")
    trace.add("rerank", 1.0)
    assert trace.spans[0].attributes == {}
