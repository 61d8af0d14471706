"""A trace says what each stage did, in counts and times."""

from __future__ import annotations

from itertools import count

import pytest

from bot.trace import Trace, note


def test_a_stage_is_timed_and_keeps_what_was_noted_in_it() -> None:
    trace = Trace("t1", clock=map(float, count()).__next__)
    with trace.stage("answer") as span:
        span.set(backend="extractive")
        note(input_tokens=12)
    assert str(trace) == "t1 | answer 1000.0 ms backend=extractive input_tokens=12"


def test_a_stage_that_raises_is_timed_too_and_names_the_error() -> None:
    trace = Trace("t1")
    with pytest.raises(KeyError), trace.stage("answer"):
        raise KeyError("words")
    assert trace.spans[0].attributes == {"error": "KeyError"}


def test_a_note_outside_any_stage_is_lost() -> None:
    trace = Trace("t1")
    with trace.stage("answer"):
        pass
    note(input_tokens=12)
    assert trace.spans[0].attributes == {}
